#include "protocols/access/token_file.h"

#include "base/system/regular_file.h"

namespace inferd::access {

namespace {

bool IsToken(std::string_view text) {
  while (text.ends_with('=')) text.remove_suffix(1);
  if (text.empty()) return false;
  for (const char c : text) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!letter && std::string_view("-._~+/").find(c) == std::string_view::npos) return false;
  }
  return true;
}

std::string_view WithoutBlanks(std::string_view line) {
  constexpr std::string_view kBlanks = " \t\r";
  const size_t begin = line.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return line.substr(begin, line.find_last_not_of(kBlanks) + 1 - begin);
}

}  // namespace

base::Result<std::unique_ptr<TokenFile>> TokenFile::Open(std::string path) {
  std::unique_ptr<TokenFile> file(new TokenFile(std::move(path)));
  INFERD_RETURN_IF_ERROR(file->Reload());
  return file;
}

base::Result<TokenFile::Tokens> TokenFile::Read(const std::string& path) {
  const auto read = base::ReadRegularFile(path, kFileBytesMax);
  if (!read.has_value() && read.error().code() == base::StatusCode::kNotFound)
    return std::unexpected(base::NotFound("cannot read tokens from '" + path + "'"));
  if (!read.has_value()) return std::unexpected(read.error().WithContext("tokens"));
  const std::string& text = *read;
  Tokens tokens;
  int number = 1;
  for (std::string_view rest = text; !rest.empty(); ++number) {
    const size_t end = rest.find('\n');
    const std::string_view line = WithoutBlanks(rest.substr(0, end));
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    if (line.empty() || line.starts_with('#')) continue;
    const std::string place = path + ":" + std::to_string(number) + ": ";
    if (!IsToken(line)) return std::unexpected(base::InvalidArgument(place + "this is no bearer token"));
    if (tokens.size() == kTokensMax) {
      return std::unexpected(base::InvalidArgument(place + "more than " + std::to_string(kTokensMax) + " tokens"));
    }
    tokens.emplace_back(line);
  }
  if (tokens.empty()) return std::unexpected(base::InvalidArgument(path + ": there is no token in it"));
  return tokens;
}

base::Status TokenFile::Reload() {
  INFERD_ASSIGN_OR_RETURN(Tokens tokens, Read(path_));
  auto fresh = std::make_shared<const Tokens>(std::move(tokens));
  base::MutexLock lock(mutex_);
  tokens_ = std::move(fresh);
  return base::OkStatus();
}

bool TokenFile::Has(std::string_view token) const {
  std::shared_ptr<const Tokens> tokens;
  {
    base::MutexLock lock(mutex_);
    tokens = tokens_;
  }
  // Compares with every token, so that the time does not reveal which one matched.
  const net::SecretDigest digest(token);
  bool has = false;
  for (const net::SecretDigest& known : *tokens) has |= known.Matches(digest);
  return has;
}

}  // namespace inferd::access

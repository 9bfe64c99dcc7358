#include "ctl/request_headers.h"

#include <algorithm>
#include <string_view>

#include "base/system/regular_file.h"
#include "base/text/http_token.h"

namespace inferd::ctl {

namespace {

constexpr size_t kTokenFileBytesMax = 64 << 10;
constexpr std::string_view kBlanks = " \t";

// RFC 9110, 5.5, without the obsolete forms.
bool IsValueCharacter(char c) { return c == '\t' || (c >= ' ' && c <= '~'); }

std::string_view Trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

base::Result<std::string> ReadToken(const std::string& file) {
  INFERD_ASSIGN_OR_RETURN(const std::string text, base::ReadRegularFile(file, kTokenFileBytesMax));
  const std::string_view line = std::string_view(text).substr(0, text.find_first_of("\r\n"));
  const std::string_view token = Trimmed(line);
  if (token.empty()) return std::unexpected(base::InvalidArgument(file + ": the first line has no token"));
  return std::string(token);
}

}  // namespace

base::Result<HeaderList> MakeHeaders(const HeaderArguments& arguments) {
  HeaderList list;
  for (const std::string& header : arguments.headers) {
    const size_t colon = header.find(':');
    const std::string_view name = std::string_view(header).substr(0, colon);
    if (colon == std::string::npos || !base::IsToken(name)) {
      return std::unexpected(base::InvalidArgument("--header: '" + header + "' is not NAME: VALUE"));
    }
    list.emplace_back(name, Trimmed(std::string_view(header).substr(colon + 1)));
  }
  if (!arguments.token.empty() && !arguments.token_file.empty()) {
    return std::unexpected(base::InvalidArgument("--token and --token-file: give one of them"));
  }
  std::string token = arguments.token;
  if (!arguments.token_file.empty()) {
    INFERD_ASSIGN_OR_RETURN(token, ReadToken(arguments.token_file));
  }
  if (!token.empty()) list.emplace_back("Authorization", "Bearer " + token);
  for (const auto& [name, value] : list) {
    if (std::ranges::all_of(value, IsValueCharacter)) continue;
    return std::unexpected(
        base::InvalidArgument("header " + name + ": its value has a character that headers cannot have"));
  }
  return list;
}

}  // namespace inferd::ctl

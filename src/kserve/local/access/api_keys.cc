#include "kserve/local/access/api_keys.h"

#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <vector>

#include "base/system/regular_file.h"
#include "base/text/hex.h"
#include "kserve/local/access/private_file.h"
#include "net/authority/certificates.h"

namespace inferd::local {

namespace {

constexpr size_t kTokenBytes = 32;
constexpr size_t kFileBytesMax = 64 << 10;
constexpr int64_t kYearS = int64_t{365} * 86'400;
constexpr int64_t kAuthorityYears = 10;
constexpr std::string_view kPemBegin = "-----BEGIN ";

base::Status NotUsable(const std::string& path, const std::string& what) {
  return base::FailedPrecondition("'" + path + "' has no " + what + ": remove it, and another is made");
}

base::Result<std::string> MakeToken() {
  std::array<unsigned char, kTokenBytes> random{};
  if (getrandom(random.data(), random.size(), 0) != static_cast<ssize_t>(random.size())) {
    return std::unexpected(base::Internal(std::string("no random numbers: ") + std::strerror(errno)));
  }
  std::string token;
  for (const unsigned char byte : random) base::AppendHex(token, byte, 2);
  return token;
}

base::Result<std::string> KeepToken(const std::string& path) {
  auto text = base::ReadRegularFile(path, kFileBytesMax);
  if (text.has_value()) {
    while (text->ends_with('\n')) text->pop_back();
    const bool whole = text->size() == 2 * kTokenBytes &&
                       std::ranges::all_of(*text, [](char digit) { return base::HexValue(digit) >= 0; });
    if (!whole) return std::unexpected(NotUsable(path, "token of 64 hexadecimal digits"));
    return *std::move(text);
  }
  if (text.error().code() != base::StatusCode::kNotFound) return std::unexpected(text.error());
  INFERD_ASSIGN_OR_RETURN(std::string token, MakeToken());
  INFERD_RETURN_IF_ERROR(WritePrivateFile(path, token + "\n"));
  return token;
}

base::Result<net::PemPair> KeepAuthority(const std::string& path, int64_t now_s) {
  const auto text = base::ReadRegularFile(path, kFileBytesMax);
  if (text.has_value()) {
    const size_t key = text->find(kPemBegin, kPemBegin.size());
    if (key == std::string::npos) return std::unexpected(NotUsable(path, "certificate with its key"));
    net::PemPair pair{.certificate = text->substr(0, key), .key = text->substr(key)};
    const auto facts = net::ReadCertificate(pair.certificate);
    if (!facts.has_value() || !facts->is_authority || !net::IsPair(pair)) {
      return std::unexpected(NotUsable(path, "certificate of an authority with its key"));
    }
    if (facts->not_after_s > now_s + kYearS) return pair;
  } else if (text.error().code() != base::StatusCode::kNotFound) {
    return std::unexpected(text.error());
  }
  INFERD_ASSIGN_OR_RETURN(net::PemPair made, net::MakeAuthority("inferd-controller", now_s + kAuthorityYears * kYearS));
  INFERD_RETURN_IF_ERROR(WritePrivateFile(path, made.certificate + made.key));
  return made;
}

}  // namespace

base::Result<ApiKeys> KeepApiKeys(const std::string& folder, const std::string& address, int64_t now_s) {
  INFERD_ASSIGN_OR_RETURN(std::string token, KeepToken(folder + "/api-token"));
  INFERD_ASSIGN_OR_RETURN(const net::PemPair authority, KeepAuthority(folder + "/api-authority.pem", now_s));
  std::vector<std::string> names = {"localhost", "127.0.0.1", "::1"};
  if (net::IsCertificateName(address) && std::ranges::find(names, address) == names.end()) names.push_back(address);
  INFERD_ASSIGN_OR_RETURN(net::PemPair certificate, net::IssueCertificate(authority, names, now_s + kYearS * 10));
  return ApiKeys{.token = std::move(token), .authority = authority.certificate, .certificate = std::move(certificate)};
}

}  // namespace inferd::local

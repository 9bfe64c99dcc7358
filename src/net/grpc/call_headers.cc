#include "net/grpc/call_headers.h"

#include <algorithm>
#include <string>

#include "base/text/ascii_case.h"
#include "net/grpc/metadata.h"
#include "net/http/ascii.h"

namespace inferd::net::grpc {

namespace {

constexpr int64_t kSecondNs = 1'000'000'000;
constexpr int64_t kTimeoutNsMax = 10 * 365 * 24 * 3600 * kSecondNs;

int64_t UnitNs(char unit) {
  switch (unit) {
    case 'H': return 3600 * kSecondNs;
    case 'M': return 60 * kSecondNs;
    case 'S': return kSecondNs;
    case 'm': return 1'000'000;
    case 'u': return 1'000;
    case 'n': return 1;
    default: return 0;
  }
}

std::string Quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

base::Status CheckBinary(std::string_view name, std::string_view values) {
  while (!values.empty()) {
    if (!DecodeBase64(NextValue(values)).has_value()) {
      return base::InvalidArgument("metadata " + Quoted(name) + " must be base64, as its name ends in -bin");
    }
  }
  return base::OkStatus();
}

base::Status ReadHeader(std::string_view name, std::string_view value, CallHeaders& headers) {
  if (IsBinaryName(name)) return CheckBinary(name, value);
  if (name.size() < 6 || base::LowerAscii(name[0]) != 'g') return base::OkStatus();
  if (base::EqualWithoutCase(name, "grpc-timeout")) {
    headers.timeout_ns = ParseTimeout(value);
    if (!headers.timeout_ns.has_value()) {
      return base::InvalidArgument("malformed grpc-timeout " + Quoted(value) +
                                   ": expected 1 to 8 digits and one of HMSmun");
    }
  } else if (base::EqualWithoutCase(name, "grpc-encoding")) {
    // The names are those of Content-Encoding, without the aliases.
    const auto coding = value == "x-gzip" ? std::nullopt : ParseContentCoding(value);
    if (!coding.has_value()) {
      return base::Unimplemented("unsupported grpc-encoding " + Quoted(value) + ": expected one of " +
                                 std::string(kAcceptedCodings));
    }
    headers.coding = *coding;
  }
  return base::OkStatus();
}

}  // namespace

std::optional<Wire> ParseContentType(std::string_view content_type) {
  constexpr std::string_view kGrpc = "application/grpc";
  constexpr std::string_view kWeb = "-web";
  constexpr std::string_view kText = "-text";
  if (!base::EqualWithoutCase(content_type.substr(0, kGrpc.size()), kGrpc)) return std::nullopt;
  content_type.remove_prefix(kGrpc.size());
  const bool web = base::EqualWithoutCase(content_type.substr(0, kWeb.size()), kWeb);
  if (web) content_type.remove_prefix(kWeb.size());
  const bool text = web && base::EqualWithoutCase(content_type.substr(0, kText.size()), kText);
  if (text) content_type.remove_prefix(kText.size());
  const std::string_view format = TrimSpace(content_type.substr(0, content_type.find(';')));
  if (!format.empty() && !base::EqualWithoutCase(format, "+proto")) return std::nullopt;
  if (text) return Wire::kWebText;
  return web ? Wire::kWeb : Wire::kGrpc;
}

std::optional<int64_t> ParseTimeout(std::string_view text) {
  constexpr size_t kDigitsMax = 8;
  if (text.size() < 2 || text.size() > kDigitsMax + 1) return std::nullopt;
  const int64_t unit_ns = UnitNs(text.back());
  if (unit_ns == 0) return std::nullopt;
  int64_t count = 0;
  for (const char c : text.substr(0, text.size() - 1)) {
    if (c < '0' || c > '9') return std::nullopt;
    count = count * 10 + (c - '0');
  }
  return count > kTimeoutNsMax / unit_ns ? kTimeoutNsMax : count * unit_ns;
}

ContentCoding ChooseCoding(std::string_view accept_encoding) {
  ContentCoding best = ContentCoding::kIdentity;
  while (!accept_encoding.empty()) {
    const std::string_view name = NextValue(accept_encoding);
    if (name == "gzip") return ContentCoding::kGzip;
    if (name == "deflate") best = ContentCoding::kDeflate;
  }
  return best;
}

base::Result<CallHeaders> ReadCallHeaders(const RequestHead& head) {
  CallHeaders headers;
  for (const auto& [name, value] : head.headers) INFERD_RETURN_IF_ERROR(ReadHeader(name, value, headers));
  return headers;
}

}  // namespace inferd::net::grpc

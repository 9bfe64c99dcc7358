#include "net/grpc/metadata.h"

#include <utility>

#include "base/text/ascii_case.h"
#include "base/text/base64.h"
#include "net/http/ascii.h"

namespace inferd::net::grpc {

bool IsBinaryName(std::string_view name) {
  constexpr std::string_view kSuffix = "-bin";
  return name.size() > kSuffix.size() && base::EqualWithoutCase(name.substr(name.size() - kSuffix.size()), kSuffix);
}

std::string_view TrimSpace(std::string_view text) {
  while (text.starts_with(' ') || text.starts_with('\t')) text.remove_prefix(1);
  while (text.ends_with(' ') || text.ends_with('\t')) text.remove_suffix(1);
  return text;
}

std::string_view NextValue(std::string_view& joined) {
  const size_t end = joined.find(',');
  const std::string_view value = TrimSpace(joined.substr(0, end));
  joined = end == std::string_view::npos ? std::string_view() : joined.substr(end + 1);
  return value;
}

std::optional<std::string> DecodeBase64(std::string_view text) {
  std::string bytes(text);
  if (!text.ends_with('=')) bytes.append((4 - bytes.size() % 4) % 4, '=');
  const auto size = base::DecodeBase64(bytes, bytes.data());
  if (!size.has_value()) return std::nullopt;
  bytes.resize(*size);
  return bytes;
}

std::string EncodeBase64(std::string_view bytes) {
  std::string text(base::Base64Size(bytes.size()), '\0');
  base::EncodeBase64(bytes, text.data());
  while (text.ends_with('=')) text.pop_back();
  return text;
}

std::string PercentEncode(std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; };
  std::string out;
  size_t whole = 0;  // end of the last whole character in `out`
  for (const char c : text) {
    if (!continues(c)) whole = out.size();
    const bool plain = c >= ' ' && c <= '~' && c != '%';
    if (out.size() + (plain ? 1 : 3) > kStatusMessageBytesMax) {
      out.resize(whole);
      return out;
    }
    if (plain) {
      out += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      out += {'%', kHex[byte >> 4], kHex[byte & 0xf]};
    }
  }
  return out;
}

void AppendStatus(const base::Status& status, std::string_view details, Trailers& out) {
  out.emplace_back("grpc-status", std::to_string(static_cast<int>(status.code())));
  if (!status.message().empty()) out.emplace_back("grpc-message", PercentEncode(status.message()));
  if (!details.empty()) out.emplace_back("grpc-status-details-bin", EncodeBase64(details));
}

}  // namespace inferd::net::grpc

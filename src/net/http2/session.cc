#include "net/http2/session.h"

#include <array>
#include <optional>
#include <string>

#include "net/http2/connection.h"

namespace inferd::net::http2 {

namespace {

// Decodes base64url (RFC 4648, 5) without padding (RFC 7540, 3.2.1). Padding is tolerated.
std::optional<std::string> DecodeBase64Url(std::string_view text) {
  while (text.ends_with('=')) text.remove_suffix(1);
  std::string bytes;
  uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    uint32_t digit = 0;
    if (c >= 'A' && c <= 'Z') {
      digit = static_cast<uint32_t>(c - 'A');
    } else if (c >= 'a' && c <= 'z') {
      digit = static_cast<uint32_t>(c - 'a') + 26;
    } else if (c >= '0' && c <= '9') {
      digit = static_cast<uint32_t>(c - '0') + 52;
    } else if (c == '-') {
      digit = 62;
    } else if (c == '_') {
      digit = 63;
    } else {
      return std::nullopt;
    }
    bits = (bits << 6 | digit) & 0xffffff;
    count += 6;
    if (count >= 8) {
      count -= 8;
      bytes += static_cast<char>(bits >> count & 0xff);
    }
  }
  if (text.size() % 4 == 1) return std::nullopt;  // ends inside a byte
  return bytes;
}

// Checks the values (RFC 9113, 6.5.2): nghttp2 would accept the upgrade and then end the connection over a bad value.
bool IsSettingsPayload(std::string_view payload) {
  constexpr size_t kEntryBytes = 6;
  if (payload.size() % kEntryBytes != 0) return false;
  for (; !payload.empty(); payload.remove_prefix(kEntryBytes)) {
    uint64_t entry = 0;
    for (const char c : payload.substr(0, kEntryBytes)) entry = entry << 8 | static_cast<unsigned char>(c);
    const uint64_t value = entry & 0xffffffff;
    switch (entry >> 32) {
      case NGHTTP2_SETTINGS_ENABLE_PUSH:
        if (value > 1) return false;
        break;
      case NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE:
        if (value > NGHTTP2_MAX_WINDOW_SIZE) return false;
        break;
      case NGHTTP2_SETTINGS_MAX_FRAME_SIZE:
        if (value < (1 << 14) || value >= (1 << 24)) return false;
        break;
      default: break;
    }
  }
  return true;
}

}  // namespace

std::unique_ptr<Session> MakeSession(SessionHost& host) {
  auto connection = std::make_unique<Connection>(host);
  host.WantWrite();  // our SETTINGS
  return connection;
}

base::Result<std::unique_ptr<Session>> MakeUpgradedSession(SessionHost& host, std::string_view settings,
                                                           HttpRequest& request) {
  constexpr size_t kSettingsTextMax = 1024;
  const auto payload = settings.size() > kSettingsTextMax ? std::nullopt : DecodeBase64Url(settings);
  if (!payload.has_value()) return std::unexpected(base::InvalidArgument("HTTP2-Settings is not base64url"));
  if (!IsSettingsPayload(*payload))
    return std::unexpected(base::InvalidArgument("HTTP2-Settings holds no valid settings"));
  auto connection = std::make_unique<Connection>(host);
  if (!connection->Upgrade(*payload, request.head.method == Method::kHead)) {
    return std::unexpected(base::InvalidArgument("HTTP2-Settings is refused"));
  }
  connection->AdoptUpgraded(std::move(request));
  host.WantWrite();
  return connection;
}

}  // namespace inferd::net::http2

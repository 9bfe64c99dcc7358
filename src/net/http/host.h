#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace inferd::net {

// The host that a request names: in Host, in ":authority" or in an absolute-form target (RFC 3986, 3.2.2 and 3.2.3). It
// consists of views into the parsed text.
struct Host {
  enum class Kind : uint8_t { kName, kIpv4, kIpv6 };

  Kind kind = Kind::kName;
  std::string_view name;         // as written, without a trailing dot of a name; an IPv6 address keeps its brackets
  std::optional<uint16_t> port;  // nullopt if there is no port, or nothing after the colon
};

// The maximum length of a host's name.
inline constexpr size_t kHostNameBytesMax = 255;

// Parses "models.example.com:8080", "127.0.0.1", "[::1]:8080". An empty text gives the empty name, since a request may
// name no host. nullopt if the text is not a host, has a name of more than kHostNameBytesMax bytes, or has a user or a
// zone. Thread-safe.
std::optional<Host> ParseHost(std::string_view text);

// Returns true if the texts name the same host and port, whatever their case and form. `default_port` replaces a
// missing port. False if one of them is not a host.
bool IsSameHost(std::string_view left, std::string_view right, uint16_t default_port);

// Returns true if the host is a loopback address: 127.0.0.0/8, ::1, or an IPv4-mapped IPv6 address of 127.0.0.0/8.
bool IsLoopback(const Host& host);
// Does the same for a text, with or without a port. False if it is not a host.
bool IsLoopback(std::string_view text);

}  // namespace inferd::net

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace inferd::net {

// The host that a request names, in Host, in ":authority" or in an absolute-form target (RFC 3986, 3.2.2 and 3.2.3).
// Views into the text that it was read from.
struct Host {
  enum class Kind : uint8_t { kName, kIpv4, kIpv6 };

  Kind kind = Kind::kName;
  std::string_view name;         // as written, but for the dot behind a name; an IPv6 address keeps its brackets
  std::optional<uint16_t> port;  // nullopt: none, or nothing behind the colon
};

// A longer name is no host.
inline constexpr size_t kHostNameBytesMax = 255;

// Parses "models.example.com:8080", "127.0.0.1", "[::1]:8080". An empty text is the empty name: a request may name no
// host. nullopt: the text is no host; a name of more than kHostNameBytesMax bytes, a user or a zone is none either.
// Thread-safe.
std::optional<Host> ParseHost(std::string_view text);

// Decides whether the texts name the same host and port, whatever their case and their form. `default_port` stands for
// a port that is not written. False if one of them is no host.
bool IsSameHost(std::string_view left, std::string_view right, uint16_t default_port);

// True if the host is an address of the loopback: 127.0.0.0/8, ::1, or an IPv4 one of them as IPv6 has it.
bool IsLoopback(const Host& host);
// The same of a text, with or without a port. False if it is no host.
bool IsLoopback(std::string_view text);

}  // namespace inferd::net

#include "net/http/host.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

#include "base/text/ascii_case.h"

namespace inferd::net {

namespace {

// The marks of a reg-name (RFC 3986, 3.2.2), without percent-encoding.
constexpr std::string_view kNameMarks = "-._~!$&'()*+,;=";

constexpr bool IsHexDigit(char c) {
  const char lower = base::LowerAscii(c);
  return (c >= '0' && c <= '9') || (lower >= 'a' && lower <= 'f');
}

constexpr bool IsOfName(char c) {
  const char lower = base::LowerAscii(c);
  return (lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9') || kNameMarks.contains(c);
}

bool IsName(std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (IsOfName(text[i])) continue;
    const bool escape = text[i] == '%' && i + 2 < text.size() && IsHexDigit(text[i + 1]) && IsHexDigit(text[i + 2]);
    if (!escape) return false;
    i += 2;
  }
  return true;
}

// Parses `text` as an address of the family into `address`, in network byte order. Returns false if it is not one.
bool ReadAddress(int family, std::string_view text, void* address) {
  std::array<char, INET6_ADDRSTRLEN> zero_ended{};
  if (text.size() >= zero_ended.size()) return false;
  text.copy(zero_ended.data(), text.size());
  return inet_pton(family, zero_ended.data(), address) == 1;
}

std::string_view WithoutBrackets(std::string_view name) { return name.substr(1, name.size() - 2); }

// Parses the port after a host. Returns false if the text is not a port.
bool ReadPort(std::string_view text, std::optional<uint16_t>& port) {
  if (text.empty()) return true;
  uint16_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return false;
  port = value;
  return true;
}

bool IsSameName(const Host& left, const Host& right) {
  if (left.kind != right.kind) return false;
  if (left.kind != Host::Kind::kIpv6) return base::EqualWithoutCase(left.name, right.name);
  in6_addr one{};
  in6_addr other{};
  ReadAddress(AF_INET6, WithoutBrackets(left.name), &one);
  ReadAddress(AF_INET6, WithoutBrackets(right.name), &other);
  return std::memcmp(&one, &other, sizeof(one)) == 0;
}

}  // namespace

std::optional<Host> ParseHost(std::string_view text) {
  Host host;
  const bool bracketed = text.starts_with('[');
  const size_t end = bracketed ? text.find(']') + 1 : std::min(text.find(':'), text.size());
  if (bracketed && end == 0) return std::nullopt;
  host.name = text.substr(0, end);
  const std::string_view behind = text.substr(end);
  if (!behind.empty() && (!behind.starts_with(':') || !ReadPort(behind.substr(1), host.port))) return std::nullopt;
  if (bracketed) {
    in6_addr address{};
    host.kind = Host::Kind::kIpv6;
    return ReadAddress(AF_INET6, WithoutBrackets(host.name), &address) ? std::optional(host) : std::nullopt;
  }
  if (host.name.empty()) return behind.empty() ? std::optional(host) : std::nullopt;
  if (host.name.size() > kHostNameBytesMax || !IsName(host.name)) return std::nullopt;
  // A trailing dot only marks the name as complete; it is the same name.
  if (host.name.ends_with('.')) host.name.remove_suffix(1);
  if (host.name.empty() || host.name.ends_with('.')) return std::nullopt;
  in_addr address{};
  const bool digits = host.name.find_first_not_of(".0123456789") == std::string_view::npos;
  if (digits && ReadAddress(AF_INET, host.name, &address)) host.kind = Host::Kind::kIpv4;
  return host;
}

bool IsSameHost(std::string_view left, std::string_view right, uint16_t default_port) {
  const auto one = ParseHost(left);
  const auto other = ParseHost(right);
  return one.has_value() && other.has_value() && IsSameName(*one, *other) &&
         one->port.value_or(default_port) == other->port.value_or(default_port);
}

bool IsLoopback(const Host& host) {
  in6_addr address{};
  constexpr uint8_t kLoopbackNet = 127;
  switch (host.kind) {
    case Host::Kind::kName: return false;
    case Host::Kind::kIpv4: return host.name.starts_with("127.");
    case Host::Kind::kIpv6: break;
  }
  if (!ReadAddress(AF_INET6, WithoutBrackets(host.name), &address)) return false;
  if (IN6_IS_ADDR_V4MAPPED(&address)) return address.s6_addr[12] == kLoopbackNet;
  return IN6_IS_ADDR_LOOPBACK(&address);
}

bool IsLoopback(std::string_view text) {
  const auto host = ParseHost(text);
  return host.has_value() && IsLoopback(*host);
}

}  // namespace inferd::net

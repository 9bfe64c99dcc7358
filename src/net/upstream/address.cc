#include "net/upstream/address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/un.h>

#include <charconv>
#include <cstring>

namespace inferd::net::upstream {

namespace {

constexpr std::string_view kUnix = "unix:";

base::Status Malformed(std::string_view text) {
  return base::InvalidArgument("'" + std::string(text) + "' is no address; expected IP:PORT, [IPV6]:PORT or unix:PATH");
}

bool ParsePort(std::string_view text, in_port_t* port) {
  uint16_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value == 0) return false;
  *port = htons(value);
  return true;
}

}  // namespace

base::Result<Address> Address::Parse(std::string_view text) {
  Address address;
  address.text_ = text;
  if (text.starts_with(kUnix)) {
    auto& to = reinterpret_cast<sockaddr_un&>(address.storage_);
    const std::string_view path = text.substr(kUnix.size());
    if (path.empty() || path.size() >= sizeof(to.sun_path) || path.find('\0') != std::string_view::npos) {
      return std::unexpected(base::InvalidArgument("'" + address.text_ + "': the path of a Unix socket has 1 to " +
                                                   std::to_string(sizeof(to.sun_path) - 1) + " bytes"));
    }
    to.sun_family = AF_UNIX;
    std::memcpy(to.sun_path, path.data(), path.size());
    address.size_ = sizeof(to);
    return address;
  }
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::unexpected(Malformed(text));
  std::string host(text.substr(0, colon));
  const std::string_view port = text.substr(colon + 1);
  if (host.starts_with('[') && host.ends_with(']')) {
    auto& to = reinterpret_cast<sockaddr_in6&>(address.storage_);
    host = host.substr(1, host.size() - 2);
    if (inet_pton(AF_INET6, host.c_str(), &to.sin6_addr) != 1 || !ParsePort(port, &to.sin6_port)) {
      return std::unexpected(Malformed(text));
    }
    to.sin6_family = AF_INET6;
    address.size_ = sizeof(to);
    return address;
  }
  auto& to = reinterpret_cast<sockaddr_in&>(address.storage_);
  if (inet_pton(AF_INET, host.c_str(), &to.sin_addr) != 1 || !ParsePort(port, &to.sin_port)) {
    return std::unexpected(Malformed(text));
  }
  to.sin_family = AF_INET;
  address.size_ = sizeof(to);
  return address;
}

}  // namespace inferd::net::upstream

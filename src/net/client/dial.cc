#include "net/client/dial.h"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

namespace inferd::net {

namespace {

base::Status Failed(const std::string& where, int error) {
  return base::Unavailable("cannot connect to " + where + ": " + std::strerror(error));
}

base::Result<int> Connect(const std::string& where, int family, const sockaddr* address, socklen_t size) {
  const int fd = ::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return std::unexpected(Failed(where, errno));
  if (::connect(fd, address, size) != 0) {
    const int error = errno;
    ::close(fd);
    return std::unexpected(Failed(where, error));
  }
  const int on = 1;
  if (family != AF_UNIX) ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK);
  return fd;
}

base::Result<int> DialUnix(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) {
    return std::unexpected(base::InvalidArgument("the socket's path '" + path + "' is too long"));
  }
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  return Connect(path, AF_UNIX, reinterpret_cast<const sockaddr*>(&address), sizeof address);
}

}  // namespace

base::Result<int> Dial(const Url& url, const std::string& unix_socket) {
  if (!unix_socket.empty()) return DialUnix(unix_socket);
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int error = ::getaddrinfo(url.host.c_str(), std::to_string(url.port).c_str(), &hints, &found);
  if (error != 0) {
    return std::unexpected(base::Unavailable("cannot find host '" + url.host + "': " + ::gai_strerror(error)));
  }
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> addresses(found, &::freeaddrinfo);
  base::Result<int> fd = std::unexpected(base::Unavailable("host '" + url.host + "' has no address"));
  for (const addrinfo* a = found; a != nullptr && !fd.has_value(); a = a->ai_next) {
    fd = Connect(url.Authority(), a->ai_family, a->ai_addr, a->ai_addrlen);
  }
  return fd;
}

}  // namespace inferd::net

#include "net/upstream/dial.h"

#include <netinet/in.h>
#include <netinet/tcp.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace inferd::net::upstream {

base::Result<Dialled> Dial(const Address& address) {
  base::FileDescriptor descriptor(socket(address.family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!descriptor) {
    return std::unexpected(base::ResourceExhausted("no socket: " + std::string(std::strerror(errno))));
  }
  const int on = 1;
  if (address.family() != AF_UNIX) setsockopt(descriptor.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  const int result = connect(descriptor.get(), address.get(), address.size());
  // EAGAIN means that a Unix socket's queue is full. No event would tell when to retry.
  if (result != 0 && errno != EINPROGRESS) {
    return std::unexpected(
        base::Unavailable("cannot connect to " + address.text() + ": " + std::string(std::strerror(errno))));
  }
  return Dialled{.socket = std::move(descriptor), .connected = result == 0};
}

}  // namespace inferd::net::upstream

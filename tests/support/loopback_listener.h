#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <cstdint>
#include <stdexcept>

#include "base/system/file_descriptor.h"

namespace inferd::support {

// The listening socket of a test's server, on a free port of the loopback. Used by one thread, but for get() and
// port().
class LoopbackListener final {
 public:
  LoopbackListener() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (::bind(socket_.get(), reinterpret_cast<sockaddr*>(&address), size) != 0 || ::listen(socket_.get(), 64) != 0 ||
        ::getsockname(socket_.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0) {
      throw std::runtime_error("no socket");
    }
    port_ = ntohs(address.sin_port);
  }

  int get() const { return socket_.get(); }
  uint16_t port() const { return port_; }

  // The next client's socket; none if no client comes within 10 ms.
  base::FileDescriptor Accept() {
    pollfd polled{.fd = socket_.get(), .events = POLLIN, .revents = 0};
    if (::poll(&polled, 1, 10) <= 0) return {};
    return base::FileDescriptor(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC));
  }

 private:
  const base::FileDescriptor socket_;
  uint16_t port_ = 0;
};

}  // namespace inferd::support

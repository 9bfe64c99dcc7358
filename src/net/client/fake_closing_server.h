#pragma once

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <utility>

#include "tests/support/loopback_listener.h"

namespace inferd::net {

// For tests: a server that answers the first request of each connection ("pong" by default). When a second request
// begins, it closes the connection before it reads a byte of it. It serves one connection at a time, and each request
// must fit one read. Thread-safe.
class FakeClosingServer final {
 public:
  explicit FakeClosingServer(std::string answer = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\npong")
      : answer_(std::move(answer)) {
    thread_ = std::thread([this] { Serve(); });
  }
  ~FakeClosingServer() {
    stopped_ = true;
    ::shutdown(listener_.get(), SHUT_RDWR);
    ::shutdown(connection_.load(), SHUT_RDWR);
    thread_.join();
  }
  FakeClosingServer(const FakeClosingServer&) = delete;
  FakeClosingServer& operator=(const FakeClosingServer&) = delete;

  uint16_t port() const { return listener_.port(); }
  // The number of requests that were read.
  int requests() const { return requests_; }

 private:
  void Serve() {
    while (!stopped_) {
      const int fd = ::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC);
      if (fd < 0) return;
      connection_ = fd;
      std::string request(1 << 16, '\0');
      if (::recv(fd, request.data(), request.size(), 0) > 0) {
        ++requests_;
        static_cast<void>(::send(fd, answer_.data(), answer_.size(), MSG_NOSIGNAL));
        pollfd second{.fd = fd, .events = POLLIN, .revents = 0};
        ::poll(&second, 1, stopped_ ? 0 : -1);
      }
      connection_ = -1;
      ::close(fd);
    }
  }

  const std::string answer_;
  const support::LoopbackListener listener_;
  std::atomic<int> requests_ = 0;
  std::atomic<int> connection_ = -1;
  std::atomic<bool> stopped_ = false;
  std::thread thread_;
};

}  // namespace inferd::net

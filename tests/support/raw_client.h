#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/system/file_descriptor.h"

namespace inferd::support {

// A blocking socket to a server on this machine, for tests that need to misbehave. A read gives up after ten seconds.
class RawClient {
 public:
  explicit RawClient(uint16_t port) : fd_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const timeval limit{.tv_sec = 10, .tv_usec = 0};
    setsockopt(fd_.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
    connected_ = connect(fd_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
  }

  bool connected() const { return connected_; }
  int fd() const { return fd_.get(); }

  // False: the server has closed.
  bool Send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<size_t>(sent));
    }
    return true;
  }

  // All until `text` ends with `end`, or the connection does; with no `end`, until it does.
  std::string ReadUntil(std::string_view end = {}) {
    std::string text;
    std::array<char, 4096> part;
    while (end.empty() || !text.ends_with(end)) {
      const ssize_t got = recv(fd_.get(), part.data(), part.size(), 0);
      if (got <= 0) break;
      text.append(part.data(), static_cast<size_t>(got));
    }
    return text;
  }

  void FinishSending() { shutdown(fd_.get(), SHUT_WR); }
  void Close() { fd_.Close(); }
  // Closes with RST.
  void Reset() {
    const linger now{.l_onoff = 1, .l_linger = 0};
    setsockopt(fd_.get(), SOL_SOCKET, SO_LINGER, &now, sizeof(now));
    fd_.Close();
  }

 private:
  base::FileDescriptor fd_;
  bool connected_ = false;
};

}  // namespace inferd::support

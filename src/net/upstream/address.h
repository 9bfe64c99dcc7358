#pragma once

#include <sys/socket.h>

#include <string>
#include <string_view>

#include "base/status.h"

namespace inferd::net::upstream {

// A server's address: an IP address with a port, or a Unix socket. Names are not resolved, so that nothing here blocks.
class Address final {
 public:
  // Parses "127.0.0.1:8080", "[::1]:8080", "unix:/run/model.sock". INVALID_ARGUMENT, with the reason, if `text` is
  // invalid.
  static base::Result<Address> Parse(std::string_view text);

  const std::string& text() const { return text_; }
  int family() const { return storage_.ss_family; }
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage_); }
  socklen_t size() const { return size_; }

 private:
  Address() = default;

  std::string text_;
  sockaddr_storage storage_{};
  socklen_t size_ = 0;
};

}  // namespace inferd::net::upstream

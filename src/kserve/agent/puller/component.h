#pragma once

#include <cstdint>
#include <string>

namespace inferd::agent {

// The HTTP address of the model server on this machine.
struct Component {
  uint16_t port = 8080;
  std::string unix_socket{};  // path of a Unix socket, used instead of the port; empty if none

  // Returns the address in the format of net::upstream::Address.
  std::string address() const {
    return unix_socket.empty() ? "127.0.0.1:" + std::to_string(port) : "unix:" + unix_socket;
  }
};

}  // namespace inferd::agent

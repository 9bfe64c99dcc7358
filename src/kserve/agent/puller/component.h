#pragma once

#include <cstdint>
#include <string>

namespace inferd::agent {

// Where the model server takes HTTP, on this machine.
struct Component {
  uint16_t port = 8080;
  std::string unix_socket{};  // its path, in place of the port; empty: none

  // As net::upstream::Address has it.
  std::string address() const {
    return unix_socket.empty() ? "127.0.0.1:" + std::to_string(port) : "unix:" + unix_socket;
  }
};

}  // namespace inferd::agent

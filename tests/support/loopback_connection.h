#pragma once

#include <arpa/inet.h>
#include <sys/socket.h>

#include <array>
#include <stdexcept>
#include <string>

#include "base/system/file_descriptor.h"

namespace inferd::support {

// A connection over the loopback from an IPv4 socket, and its ends as the accepting side has them. It throws where the
// system does not let it be.
struct LoopbackConnection {
  // `mixed`: the accepting socket is one of IPv6, which has IPv4 addresses within IPv6 ones.
  explicit LoopbackConnection(bool mixed = false) : listener(socket(mixed ? AF_INET6 : AF_INET, kStream, 0)) {
    sockaddr_in v4{.sin_family = AF_INET, .sin_port = 0, .sin_addr = {htonl(INADDR_LOOPBACK)}, .sin_zero = {}};
    sockaddr_in6 any{};
    any.sin6_family = AF_INET6;
    auto* const where = mixed ? reinterpret_cast<sockaddr*>(&any) : reinterpret_cast<sockaddr*>(&v4);
    socklen_t size = mixed ? sizeof(any) : sizeof(v4);
    Demand(bind(listener.get(), where, size) == 0 && listen(listener.get(), 1) == 0);
    Demand(getsockname(listener.get(), where, &size) == 0);
    if (mixed) v4.sin_port = any.sin6_port;
    Demand(connect(client.get(), reinterpret_cast<sockaddr*>(&v4), sizeof(v4)) == 0);
    accepted = base::FileDescriptor(accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
    peer = Name<getpeername>();
    local = Name<getsockname>();
  }

  static constexpr int kStream = SOCK_STREAM | SOCK_CLOEXEC;

  base::FileDescriptor listener;
  base::FileDescriptor client{socket(AF_INET, kStream, 0)};
  base::FileDescriptor accepted;
  std::string peer;   // "127.0.0.1:4242"
  std::string local;  // the listener's

 private:
  static void Demand(bool done) {
    if (!done) throw std::runtime_error("no connection over the loopback");
  }

  template <int (*Ask)(int, sockaddr*, socklen_t*)>
  std::string Name() const {
    sockaddr_storage address{};
    socklen_t size = sizeof(address);
    Demand(Ask(accepted.get(), reinterpret_cast<sockaddr*>(&address), &size) == 0);
    std::array<char, INET6_ADDRSTRLEN> text{};
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(address);
    const auto& v6 = reinterpret_cast<const sockaddr_in6&>(address);
    const bool is_v4 = address.ss_family == AF_INET;
    const void* const bytes = is_v4 ? static_cast<const void*>(&v4.sin_addr) : &v6.sin6_addr;
    const std::string host = inet_ntop(address.ss_family, bytes, text.data(), text.size());
    return (is_v4 ? host : "[" + host + "]") + ":" + std::to_string(ntohs(is_v4 ? v4.sin_port : v6.sin6_port));
  }
};

}  // namespace inferd::support

// grpc_floor PORT [LOOPS]: a gRPC server that does nothing, with its own loops over epoll and nghttp2. It reads a
// message and answers with the number of bytes in the path (GrpcSession). Its cost is the cost of a call in any server
// that uses nghttp2, before any code reads the message.

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "bench/floor/grpc_session.h"

namespace {

using inferd::bench::GrpcSession;

struct Connection {
  int fd;
  GrpcSession session{};
  bool blocked = false;
};

// False: it has ended.
bool Write(int epoll, Connection& connection) {
  for (;;) {
    const std::vector<iovec>& output = connection.session.Output();
    if (output.empty() && !connection.blocked) return true;
    msghdr message{};
    message.msg_iov = const_cast<iovec*>(output.data());
    message.msg_iovlen = std::min<size_t>(output.size(), 64);
    const ssize_t bytes = output.empty() ? 0 : ::sendmsg(connection.fd, &message, MSG_NOSIGNAL);
    if (bytes < 0 && errno != EAGAIN) return false;
    const bool blocked = bytes < 0;
    if (blocked != connection.blocked) {
      connection.blocked = blocked;
      epoll_event event{.events = EPOLLIN | (blocked ? EPOLLOUT : 0u), .data = {.ptr = &connection}};
      ::epoll_ctl(epoll, EPOLL_CTL_MOD, connection.fd, &event);
    }
    if (blocked) return true;
    connection.session.Written(static_cast<size_t>(bytes));
  }
}

// False: it has ended.
bool Serve(int epoll, Connection& connection, std::vector<uint8_t>& inbox) {
  const ssize_t bytes = ::recv(connection.fd, inbox.data(), inbox.size(), 0);
  if (bytes == 0 || (bytes < 0 && errno != EAGAIN)) return false;
  if (bytes > 0 && !connection.session.Read(inbox.data(), static_cast<size_t>(bytes))) return false;
  return Write(epoll, connection);
}

void Run(int epoll) {
  std::vector<uint8_t> inbox(64 * 1024);
  std::array<epoll_event, 256> events;
  for (;;) {
    const int ready = ::epoll_wait(epoll, events.data(), static_cast<int>(events.size()), -1);
    for (int i = 0; i < ready; ++i) {
      auto* connection = static_cast<Connection*>(events[static_cast<size_t>(i)].data.ptr);
      if (Serve(epoll, *connection, inbox)) continue;
      ::close(connection->fd);
      delete connection;
    }
  }
}

int Listen(uint16_t port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int on = 1;
  ::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 || ::listen(fd, 1024) != 0)
    return -1;
  return fd;
}

}  // namespace

int main(int argc, char** argv) {
  const int listener = argc < 2 ? -1 : Listen(static_cast<uint16_t>(std::strtoul(argv[1], nullptr, 10)));
  if (listener < 0) {
    std::fprintf(stderr, "usage: grpc_floor PORT [LOOPS]; the port must be free\n");
    return 2;
  }
  const size_t cores = std::clamp<size_t>(std::thread::hardware_concurrency(), 1, 8);
  std::vector<int> loops(argc > 2 ? std::max<size_t>(std::strtoul(argv[2], nullptr, 10), 1) : cores);
  for (int& epoll : loops) {
    epoll = ::epoll_create1(EPOLL_CLOEXEC);
    std::thread([epoll] { Run(epoll); }).detach();
  }
  for (size_t accepted = 0;; ++accepted) {
    const int fd = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0) continue;
    const int on = 1;
    ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    const int epoll = loops[accepted % loops.size()];
    auto* connection = new Connection{.fd = fd};
    epoll_event event{.events = EPOLLIN, .data = {.ptr = connection}};
    ::epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
  }
}

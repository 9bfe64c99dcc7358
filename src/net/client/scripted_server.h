#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace inferd::net {

// For tests: a server on a port of its own that reads each request (head, Content-Length body) and sends the bytes that
// `answer` returns. It closes the connection on an empty answer, and after an answer with "Connection: close". It uses
// one thread per connection, joined at the end.
class ScriptedServer final {
 public:
  using Answer = std::function<std::string(const std::string& request)>;

  explicit ScriptedServer(Answer answer) : answer_(std::move(answer)) {
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ::bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address);
    ::listen(listener_, 64);
    socklen_t size = sizeof address;
    ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    acceptor_ = std::thread([this] { Accept(); });
  }
  ~ScriptedServer() {
    ::shutdown(listener_, SHUT_RDWR);
    acceptor_.join();
    {
      const std::lock_guard lock(mutex_);
      for (const int fd : fds_) ::shutdown(fd, SHUT_RDWR);
    }
    for (std::thread& thread : threads_) thread.join();
    for (const int fd : fds_) ::close(fd);
    ::close(listener_);
  }
  ScriptedServer(const ScriptedServer&) = delete;
  ScriptedServer& operator=(const ScriptedServer&) = delete;

  uint16_t port() const { return port_; }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  // Sends unsolicited bytes on each connection. If `bytes` is empty, closes all connections instead.
  void SayToAll(std::string_view bytes) {
    const std::lock_guard lock(mutex_);
    for (const int fd : fds_) {
      if (bytes.empty()) {
        ::shutdown(fd, SHUT_RDWR);
      } else {
        static_cast<void>(::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL));
      }
    }
  }
  size_t connections() {
    const std::lock_guard lock(mutex_);
    return fds_.size();
  }

 private:
  void Accept() {
    for (;;) {
      const int fd = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (fd < 0) return;
      const std::lock_guard lock(mutex_);
      fds_.push_back(fd);
      threads_.emplace_back([this, fd] { Serve(fd); });
    }
  }

  void Serve(int fd) {
    std::string data;
    char chunk[16384];
    for (;;) {
      const size_t head_end = data.find("\r\n\r\n");
      size_t whole = std::string::npos;
      if (head_end != std::string::npos) {
        const size_t length_at = data.find("Content-Length: ");
        const size_t body = length_at < head_end ? std::strtoull(data.c_str() + length_at + 16, nullptr, 10) : 0;
        whole = head_end + 4 + body;
      }
      if (data.size() >= whole) {
        const std::string answer = answer_(data.substr(0, whole));
        data.erase(0, whole);
        if (answer.empty() || ::send(fd, answer.data(), answer.size(), MSG_NOSIGNAL) < 0) break;
        if (answer.contains("\r\nConnection: close\r\n")) break;
        continue;
      }
      const ssize_t n = ::recv(fd, chunk, sizeof chunk, 0);
      if (n <= 0) break;
      data.append(chunk, static_cast<size_t>(n));
    }
    ::shutdown(fd, SHUT_RDWR);
  }

  Answer answer_;
  int listener_ = -1;
  uint16_t port_ = 0;
  std::thread acceptor_;
  std::mutex mutex_;
  std::vector<int> fds_;
  std::vector<std::thread> threads_;
};

}  // namespace inferd::net

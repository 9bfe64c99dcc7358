#include "engines/python/ready_line.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string>

namespace inferd::python {

namespace {

constexpr size_t kReasonBytesMax = 4096;

}  // namespace

base::Result<std::pair<std::shared_ptr<ReadyLine>, base::FileDescriptor>> ReadyLine::Create() {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return std::unexpected(
        base::ResourceExhausted("no socket for a Python worker: " + std::string(std::strerror(errno))));
  }
  return std::pair(std::make_shared<ReadyLine>(base::FileDescriptor(ends[0])), base::FileDescriptor(ends[1]));
}

void ReadyLine::Watch(base::FileDescriptor process) {
  const base::MutexLock lock(mutex_);
  process_ = std::move(process);
}

void ReadyLine::Ask() {
  const base::MutexLock lock(mutex_);
  if (asked_) return;
  asked_ = send(socket_.get(), "?", 1, MSG_NOSIGNAL | MSG_DONTWAIT) == 1;
}

std::pair<ReadyLine::Said, std::string> ReadyLine::Await(std::chrono::steady_clock::time_point until) {
  const base::MutexLock lock(mutex_);
  std::array<pollfd, 2> files = {pollfd{.fd = socket_.get(), .events = POLLIN, .revents = 0},
                                 pollfd{.fd = process_.get(), .events = POLLIN, .revents = 0}};
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now()).count();
    const int ready = poll(files.data(), files.size(), static_cast<int>(std::max<int64_t>(left, 0)));
    if (ready == 0) return {Said::kNothing, {}};
    if (ready < 0) continue;
    if (files[0].revents == 0) return {Said::kEnded, {}};
    std::array<char, kReasonBytesMax> said{};
    const ssize_t size = recv(socket_.get(), said.data(), said.size(), MSG_DONTWAIT);
    if (size < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (size <= 0) return {Said::kEnded, {}};
    asked_ = false;
    if (said[0] == '1') return {Said::kReady, {}};
    return {Said::kNotReady, std::string(said.data() + 1, static_cast<size_t>(size) - 1)};
  }
}

}  // namespace inferd::python

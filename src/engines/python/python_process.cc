#include "engines/python/python_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/system/poll_until.h"

namespace inferd::python {

namespace {

using Clock = std::chrono::steady_clock;

constexpr uint32_t kMessageBytesMax = uint32_t{1} << 26;
// How long one that was told to end may take for it, and one that has closed the socket.
constexpr std::chrono::seconds kEndPatience{5};
constexpr std::chrono::seconds kClosedPatience{2};
// And how long a message may take that has begun, either way.
constexpr std::chrono::seconds kMessagePatience{60};
// What is read at once, at least: most messages are far smaller.
constexpr size_t kReceivedBytes = size_t{1} << 13;
constexpr size_t kKeptBytesMax = size_t{1} << 20;
constexpr int64_t kPollMaxMs = 60'000;

}  // namespace

base::Result<PythonProcess> PythonProcess::Start(const Interpreter& interpreter, std::string title) {
  INFERD_ASSIGN_OR_RETURN(SharedArea input_area, SharedArea::Create("inferd-python-inputs"));
  INFERD_ASSIGN_OR_RETURN(SharedArea outputs, SharedArea::Create("inferd-python-outputs"));
  auto inputs = std::make_shared<InputBlocks>(std::move(input_area));
  std::array<int, 2> sockets{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets.data()) != 0) {
    return std::unexpected(
        base::ResourceExhausted("no socket for a Python worker: " + std::string(std::strerror(errno))));
  }
  base::FileDescriptor ours(sockets[0]);
  const base::FileDescriptor its(sockets[1]);
  INFERD_ASSIGN_OR_RETURN(auto ready_line, ReadyLine::Create());
  // -u: what a model prints is seen when it prints it.
  const std::array descriptors = {its.get(), inputs->descriptor(), outputs.descriptor(), ready_line.second.get()};
  auto child = base::ChildProcess::Start(
      {.program = interpreter.program,
       .arguments = {interpreter.program, "-u", interpreter.worker.string(), std::move(title)},
       .environment_changes = interpreter.environment,
       .descriptors = descriptors});
  if (!child.has_value() && child.error().code() == base::StatusCode::kFailedPrecondition) {
    return std::unexpected(base::FailedPrecondition("the Python interpreter '" + interpreter.program +
                                                    "' cannot be started: " + std::string(child.error().message())));
  }
  if (!child.has_value()) {
    return std::unexpected(base::ResourceExhausted("no Python worker: " + std::string(child.error().message())));
  }
  ready_line.first->Watch(base::FileDescriptor(fcntl(child->handle(), F_DUPFD_CLOEXEC, 0)));
  return PythonProcess(*std::move(child), std::move(ours), std::move(inputs), std::move(outputs),
                       std::move(ready_line.first));
}

PythonProcess::PythonProcess(base::ChildProcess child, base::FileDescriptor socket, std::shared_ptr<InputBlocks> inputs,
                             SharedArea outputs, std::shared_ptr<ReadyLine> ready_line)
    : child_(std::move(child)),
      socket_(std::move(socket)),
      inputs_(std::move(inputs)),
      outputs_(std::move(outputs)),
      ready_line_(std::move(ready_line)) {}

PythonProcess::~PythonProcess() {
  if (!socket_ || end_.has_value()) return;
  socket_.Close();
  static_cast<void>(child_.EndsBefore(Clock::now() + kEndPatience));
}

base::Status PythonProcess::Lose(const base::Status& why) {
  if (!end_.has_value()) {
    // One that has ended by itself has closed the socket a moment before.
    const bool killed = !child_.EndsBefore(Clock::now() + (why.ok() ? kClosedPatience : kClosedPatience.zero()));
    if (killed) child_.Kill();
    const std::string how = child_.WaitForEnd();
    end_ = why.ok() || !killed ? how : std::string(why.message());
  }
  if (!why.ok()) return why;
  return base::Unavailable("the Python process " + *end_);
}

base::Status PythonProcess::Send(const MarshalWriter& message) {
  const auto until = Clock::now() + kMessagePatience;
  const auto size = static_cast<uint32_t>(message.bytes().size());
  std::array<iovec, 2> parts = {iovec{.iov_base = const_cast<uint32_t*>(&size), .iov_len = sizeof(size)},
                                iovec{.iov_base = const_cast<char*>(message.bytes().data()), .iov_len = size}};
  msghdr header = {};
  header.msg_iov = parts.data();
  header.msg_iovlen = parts.size();
  while (header.msg_iovlen > 0) {
    const ssize_t sent = sendmsg(socket_.get(), &header, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      if (!base::PollUntil(socket_.get(), POLLOUT, until)) {
        return base::DeadlineExceeded("takes no messages, and was ended");
      }
      continue;
    }
    if (sent < 0) return base::Unavailable("the Python process has ended");
    auto left = static_cast<size_t>(sent);
    while (header.msg_iovlen > 0 && left >= header.msg_iov->iov_len) {
      left -= header.msg_iov->iov_len;
      ++header.msg_iov;
      --header.msg_iovlen;
    }
    if (header.msg_iovlen > 0) {
      header.msg_iov->iov_base = static_cast<char*>(header.msg_iov->iov_base) + left;
      header.msg_iov->iov_len -= left;
    }
  }
  return base::OkStatus();
}

void PythonProcess::FinishSending() {
  if (socket_) shutdown(socket_.get(), SHUT_WR);
}

void PythonProcess::End(const base::Status& why) {
  if (end_.has_value()) return;
  static_cast<void>(Lose(why.code() == base::StatusCode::kUnavailable ? base::OkStatus() : why));
}

PythonProcess::Event PythonProcess::Await(int wake, Clock::time_point until) {
  return received_size_ > 0 && !end_.has_value() ? Event::kMessage : AwaitBytes(wake, until);
}

PythonProcess::Event PythonProcess::AwaitBytes(int wake, Clock::time_point until) {
  while (!end_.has_value()) {
    std::array<pollfd, 3> files = {pollfd{.fd = socket_.get(), .events = POLLIN, .revents = 0},
                                   pollfd{.fd = wake, .events = POLLIN, .revents = 0},
                                   // What it has started may hold its socket open.
                                   pollfd{.fd = child_.handle(), .events = POLLIN, .revents = 0}};
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
    if (left <= 0) return Event::kNeither;
    const int ready = poll(files.data(), files.size(), static_cast<int>(std::min<int64_t>(left, kPollMaxMs)));
    if (ready <= 0) continue;
    if ((files[0].revents & POLLIN) != 0) return Event::kMessage;
    if (files[1].revents != 0) return Event::kWake;
    static_cast<void>(Lose({}));
  }
  return Event::kNeither;
}

base::Status PythonProcess::ReadAtLeast(size_t size, Clock::time_point until) {
  if (received_.size() < size) received_.resize(std::max(size, kReceivedBytes));
  while (received_size_ < size) {
    // Not all that there is room for: what belongs to the next messages is moved to the front with each.
    const size_t wanted = std::max(size, std::min(received_.size(), kReceivedBytes)) - received_size_;
    const ssize_t got = recv(socket_.get(), received_.data() + received_size_, wanted, MSG_DONTWAIT);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      if (AwaitBytes(-1, until) == Event::kMessage) continue;
      if (end_.has_value()) return Lose({});
      return Lose(base::DeadlineExceeded("sent half of a message, and was ended"));
    }
    if (got <= 0) return Lose({});
    received_size_ += static_cast<size_t>(got);
  }
  return base::OkStatus();
}

PythonProcess::Arrived PythonProcess::Look() {
  while (!end_.has_value()) {
    size_t wanted = sizeof(uint32_t);
    if (received_size_ >= wanted) {
      uint32_t size = 0;
      std::memcpy(&size, received_.data(), sizeof(size));
      wanted += size;
      if (size > kMessageBytesMax || received_size_ >= wanted) return Arrived::kMessage;
    }
    if (received_.size() < wanted) received_.resize(std::max(wanted, kReceivedBytes));
    const ssize_t got =
        recv(socket_.get(), received_.data() + received_size_, received_.size() - received_size_, MSG_DONTWAIT);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return Arrived::kNothing;
    if (got <= 0) break;
    received_size_ += static_cast<size_t>(got);
  }
  return Arrived::kEnd;
}

base::Result<Value> PythonProcess::Receive() {
  if (end_.has_value()) return std::unexpected(Lose({}));
  const auto until = Clock::now() + kMessagePatience;
  uint32_t size = 0;
  INFERD_RETURN_IF_ERROR(ReadAtLeast(sizeof(size), until));
  std::memcpy(&size, received_.data(), sizeof(size));
  if (size > kMessageBytesMax) return std::unexpected(Lose(base::Internal("sent what is no message, and was ended")));
  const size_t end = sizeof(size) + size;
  INFERD_RETURN_IF_ERROR(ReadAtLeast(end, until));
  auto message = ReadMarshal({received_.data() + sizeof(size), size});
  if (!message.has_value()) return std::unexpected(Lose(base::Internal(std::string(message.error().message()))));
  std::memmove(received_.data(), received_.data() + end, received_size_ - end);
  received_size_ -= end;
  if (received_.size() > kKeptBytesMax && received_size_ <= kReceivedBytes) {
    received_.resize(kReceivedBytes);
    received_.shrink_to_fit();
  }
  return message;
}

}  // namespace inferd::python

#include "engines/python/python_process.h"

#include <poll.h>
#include <sys/socket.h>

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

}  // namespace

base::Result<PythonProcess> PythonProcess::Start(const Interpreter& interpreter, std::string title) {
  INFERD_ASSIGN_OR_RETURN(SharedArea inputs, SharedArea::Create("inferd-python-inputs"));
  INFERD_ASSIGN_OR_RETURN(SharedArea outputs, SharedArea::Create("inferd-python-outputs"));
  std::array<int, 2> sockets{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets.data()) != 0) {
    return std::unexpected(
        base::ResourceExhausted("no socket for a Python worker: " + std::string(std::strerror(errno))));
  }
  base::FileDescriptor ours(sockets[0]);
  const base::FileDescriptor its(sockets[1]);
  // -u: what a model prints is seen when it prints it.
  const std::array descriptors = {its.get(), inputs.descriptor(), outputs.descriptor()};
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
  return PythonProcess(*std::move(child), std::move(ours), std::move(inputs), std::move(outputs));
}

PythonProcess::PythonProcess(base::ChildProcess child, base::FileDescriptor socket, SharedArea inputs,
                             SharedArea outputs)
    : child_(std::move(child)), socket_(std::move(socket)), inputs_(std::move(inputs)), outputs_(std::move(outputs)) {}

PythonProcess::~PythonProcess() {
  if (!socket_ || end_.has_value()) return;
  // The end of its messages tells it to end.
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

base::Status PythonProcess::LoseToTime() {
  return Lose(base::DeadlineExceeded("the Python process did not answer in time, and was ended"));
}

base::Status PythonProcess::Send(const MarshalWriter& message, std::chrono::milliseconds patience) {
  if (end_.has_value()) return Lose({});
  const auto until = Clock::now() + patience;
  const auto size = static_cast<uint32_t>(message.bytes().size());
  std::array<iovec, 2> parts = {iovec{.iov_base = const_cast<uint32_t*>(&size), .iov_len = sizeof(size)},
                                iovec{.iov_base = const_cast<char*>(message.bytes().data()), .iov_len = size}};
  msghdr header = {};
  header.msg_iov = parts.data();
  header.msg_iovlen = parts.size();
  while (header.msg_iovlen > 0) {
    const ssize_t sent = sendmsg(socket_.get(), &header, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && errno == EAGAIN) {
      if (!base::PollUntil(socket_.get(), POLLOUT, until)) return LoseToTime();
      continue;
    }
    if (sent < 0) return Lose({});
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

base::Status PythonProcess::ReadExactly(char* data, size_t size, Clock::time_point until) {
  while (size > 0) {
    if (!base::PollUntil(socket_.get(), POLLIN, until)) return LoseToTime();
    const ssize_t got = recv(socket_.get(), data, size, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return Lose({});
    data += got;
    size -= static_cast<size_t>(got);
  }
  return base::OkStatus();
}

base::Result<Value> PythonProcess::Receive(std::chrono::milliseconds patience) {
  if (end_.has_value()) return std::unexpected(Lose({}));
  const auto until = Clock::now() + patience;
  uint32_t size = 0;
  INFERD_RETURN_IF_ERROR(ReadExactly(reinterpret_cast<char*>(&size), sizeof(size), until));
  if (size > kMessageBytesMax)
    return std::unexpected(Lose(base::Internal("the Python worker sends what is no message")));
  received_.resize(size);
  INFERD_RETURN_IF_ERROR(ReadExactly(received_.data(), size, until));
  auto message = ReadMarshal(received_);
  if (!message.has_value()) return std::unexpected(Lose(base::Internal(std::string(message.error().message()))));
  return message;
}

}  // namespace inferd::python

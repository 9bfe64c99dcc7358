#include "engines/python/python_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <new>
#include <utility>

namespace inferd::python {

namespace {

using Clock = std::chrono::steady_clock;

// Time limits for a worker to end: after it was told to, and after it has closed its socket.
constexpr std::chrono::seconds kEndPatience{5};
constexpr std::chrono::seconds kClosedPatience{2};
// The time limit for the rest of an incomplete message, and for a worker to read.
constexpr std::chrono::seconds kMessagePatience{60};
// The minimum to read at once: most messages are far smaller.
constexpr size_t kReceivedBytes = size_t{1} << 13;
constexpr size_t kKeptBytesMax = size_t{1} << 20;
// The limit for reads at once. A worker that sends small parts without a pause would hold the reading thread.
constexpr int kReadsMax = 256;
constexpr int64_t kPollMaxMs = 60'000;

}  // namespace

base::Result<PythonProcess> PythonProcess::Start(const Interpreter& interpreter, std::string title, int output) {
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
  // -u: output of a model appears when it prints it.
  const std::array descriptors = {its.get(), inputs->descriptor(), outputs.descriptor(), ready_line.second.get()};
  auto sessions = interpreter.sessions == nullptr ? std::make_shared<WorkerSessions>() : interpreter.sessions;
  auto child = sessions->Start({.program = interpreter.program,
                                .arguments = {interpreter.program, "-u", interpreter.worker.string(), std::move(title)},
                                .environment = interpreter.inherited,
                                .environment_changes = interpreter.environment,
                                .descriptors = descriptors,
                                .output = output});
  if (!child.has_value() && child.error().code() == base::StatusCode::kFailedPrecondition) {
    return std::unexpected(base::FailedPrecondition("the Python interpreter '" + interpreter.program +
                                                    "' cannot be started: " + std::string(child.error().message())));
  }
  if (!child.has_value()) {
    return std::unexpected(base::ResourceExhausted("no Python worker: " + std::string(child.error().message())));
  }
  ready_line.first->Watch(base::FileDescriptor(fcntl(child->handle(), F_DUPFD_CLOEXEC, 0)));
  return PythonProcess(*std::move(child), std::move(ours), std::move(inputs), std::move(outputs),
                       std::move(ready_line.first), std::move(sessions));
}

PythonProcess::PythonProcess(base::ChildProcess child, base::FileDescriptor socket, std::shared_ptr<InputBlocks> inputs,
                             SharedArea outputs, std::shared_ptr<ReadyLine> ready_line,
                             std::shared_ptr<WorkerSessions> sessions)
    : sessions_(std::move(sessions)),
      child_(std::move(child)),
      socket_(std::move(socket)),
      inputs_(std::move(inputs)),
      outputs_(std::move(outputs)),
      ready_line_(std::move(ready_line)) {}

PythonProcess::~PythonProcess() {
  if (!socket_ || end_.has_value()) return;
  if (!failed()) {
    socket_.Close();
    static_cast<void>(child_.EndsBefore(EndsUntil()));
    Fail(base::DeadlineExceeded("did not end, and was ended"));
  }
  Settle();
}

void PythonProcess::Fail(base::Status why) {
  if (!why_.has_value()) why_ = std::move(why);
}

void PythonProcess::Settle() {
  if (!why_.has_value() || end_.has_value()) return;
  // A process that has ended by itself has closed its socket a moment earlier.
  const bool itself = why_->code() == base::StatusCode::kUnavailable;
  const bool killed = !child_.EndsBefore(Clock::now() + (itself ? kClosedPatience : kClosedPatience.zero()));
  if (killed) child_.Kill();
  static_cast<void>(child_.EndsBefore(Clock::time_point::max()));
  sessions_->End(child_.pid());
  const std::string how = child_.WaitForEnd();
  end_ = itself || !killed ? how : std::string(why_->message());
}

base::Status PythonProcess::Send(const MarshalWriter& message, Kind kind) {
  if (failed()) return base::Unavailable("the Python process has ended");
  if (unsent_.size() - sent_ > kUnsentBytesMax) Fail(base::ResourceExhausted("takes no messages, and was ended"));
  if (failed()) return *why_;
  const auto size = static_cast<uint32_t>(message.bytes().size());
  if (has_unsent()) {
    Queue(message, 0, kind);
    Flush();
    return failed() ? *why_ : base::OkStatus();
  }
  const std::array<iovec, 2> parts = {iovec{.iov_base = const_cast<uint32_t*>(&size), .iov_len = sizeof(size)},
                                      iovec{.iov_base = const_cast<char*>(message.bytes().data()), .iov_len = size}};
  msghdr header = {};
  header.msg_iov = const_cast<iovec*>(parts.data());
  header.msg_iovlen = parts.size();
  ssize_t sent = 0;
  do {
    sent = sendmsg(socket_.get(), &header, MSG_NOSIGNAL | MSG_DONTWAIT);
  } while (sent < 0 && errno == EINTR);
  const bool full = sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
  if (sent < 0 && !full) {
    Fail(base::Unavailable("the Python process has ended"));
    return *why_;
  }
  const size_t done = full ? 0 : static_cast<size_t>(sent);
  if (done == sizeof(size) + size) return base::OkStatus();
  stuck_since_ = Clock::now();
  Queue(message, done, kind);
  return failed() ? *why_ : base::OkStatus();
}

// A partly sent message cannot be taken back.
void PythonProcess::Queue(const MarshalWriter& message, size_t sent, Kind kind) {
  try {
    const auto size = static_cast<uint32_t>(message.bytes().size());
    unsent_.append(reinterpret_cast<const char*>(&size), sizeof(size)).append(message.bytes());
    sent_ += sent;
    if (kind == Kind::kReply) unsent_replies_ += size;
  } catch (const std::bad_alloc&) {
    Fail(base::ResourceExhausted("is sent more than there is memory for, and was ended"));
  }
}

void PythonProcess::Flush() {
  while (has_unsent() && !failed()) {
    const ssize_t sent =
        send(socket_.get(), unsent_.data() + sent_, unsent_.size() - sent_, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    if (sent < 0) return Fail(base::Unavailable("the Python process has ended"));
    sent_ += static_cast<size_t>(sent);
    stuck_since_ = Clock::now();
    if (sent_ < unsent_.size()) continue;
    unsent_ = {};
    sent_ = unsent_replies_ = 0;
  }
}

Clock::time_point PythonProcess::EndsUntil() const { return told_to_end_.value_or(Clock::now()) + kEndPatience; }

void PythonProcess::FinishSending() {
  if (!told_to_end_.has_value()) told_to_end_ = Clock::now();
  if (socket_) shutdown(socket_.get(), SHUT_WR);
  unsent_ = {};
  sent_ = unsent_replies_ = 0;
}

Clock::time_point PythonProcess::ProgressDue() const {
  const auto half = half_since_.has_value() ? *half_since_ + kMessagePatience : Clock::time_point::max();
  const auto stuck = has_unsent() ? stuck_since_ + kMessagePatience : Clock::time_point::max();
  return std::min(half, stuck);
}

void PythonProcess::CheckProgress(Clock::time_point now) {
  if (now < ProgressDue()) return;
  const bool stuck = has_unsent() && now >= stuck_since_ + kMessagePatience;
  Fail(base::DeadlineExceeded(stuck ? "takes no messages, and was ended" : "sent half of a message, and was ended"));
}

PythonProcess::Event PythonProcess::Await(int wake, Clock::time_point until) {
  while (!failed()) {
    Flush();
    // Read nothing while the worker reads no replies: it would ask for more.
    const Arrived arrived = IsHeld() ? Arrived::kNothing : Look();
    if (arrived == Arrived::kMessage) return Event::kMessage;
    const auto now = Clock::now();
    if (arrived == Arrived::kNothing) CheckProgress(now);
    if (failed() || now >= until) break;
    if (Poll(wake, std::min(until, ProgressDue()) - now)) return Event::kWake;
  }
  return Event::kNeither;
}

bool PythonProcess::Poll(int wake, Clock::duration patience) {
  const auto wanted = static_cast<int16_t>((IsHeld() ? 0 : POLLIN) | (has_unsent() ? POLLOUT : 0));
  std::array<pollfd, 3> files = {pollfd{.fd = socket_.get(), .events = wanted, .revents = 0},
                                 pollfd{.fd = wake, .events = POLLIN, .revents = 0},
                                 // Processes that the worker started may hold its socket open.
                                 pollfd{.fd = child_.handle(), .events = POLLIN, .revents = 0}};
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(patience).count();
  const int ready = poll(files.data(), files.size(), static_cast<int>(std::clamp<int64_t>(left, 0, kPollMaxMs)));
  if (ready <= 0 || (files[0].revents & (POLLIN | POLLOUT)) != 0) return false;
  if (files[1].revents != 0) return true;
  Fail(base::Unavailable("the Python process has ended"));
  return false;
}

PythonProcess::Arrived PythonProcess::Look() {
  for (int reads = 0; !failed(); ++reads) {
    size_t wanted = sizeof(uint32_t);
    if (received_size_ >= wanted) {
      uint32_t size = 0;
      std::memcpy(&size, received_.data(), sizeof(size));
      if (size > kMessageBytesMax) break;
      wanted += size;
      if (received_size_ >= wanted) return Arrived::kMessage;
    }
    if (reads == kReadsMax) return NoMessage();
    // Allocate with the bytes that have arrived, not with the announced size.
    if (received_.size() == received_size_ && !MakeRoom(wanted)) break;
    const ssize_t got =
        recv(socket_.get(), received_.data() + received_size_, received_.size() - received_size_, MSG_DONTWAIT);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return NoMessage();
    if (got <= 0) {
      Fail(base::Unavailable("the Python process has ended"));
      return Arrived::kEnd;
    }
    received_size_ += static_cast<size_t>(got);
  }
  Fail(base::Internal("sent what is no message, and was ended"));
  return Arrived::kEnd;
}

PythonProcess::Arrived PythonProcess::NoMessage() {
  if (received_size_ > 0 && !half_since_.has_value()) half_since_ = Clock::now();
  return Arrived::kNothing;
}

bool PythonProcess::MakeRoom(size_t wanted) {
  try {
    received_.resize(std::max(kReceivedBytes, std::min(wanted + kReceivedBytes, 2 * received_size_)));
    return true;
  } catch (const std::bad_alloc&) {
    Fail(base::ResourceExhausted("sent what there is no memory for, and was ended"));
    return false;
  }
}

base::Result<Value> PythonProcess::Receive() {
  if (Look() != Arrived::kMessage) return std::unexpected(failed() ? *why_ : base::Internal("has sent no message"));
  uint32_t size = 0;
  std::memcpy(&size, received_.data(), sizeof(size));
  const size_t end = sizeof(size) + size;
  auto message = ReadMarshal({received_.data() + sizeof(size), size});
  if (!message.has_value()) {
    Fail(base::Internal(std::string(message.error().message())));
    return message;
  }
  std::memmove(received_.data(), received_.data() + end, received_size_ - end);
  received_size_ -= end;
  half_since_.reset();
  if (received_.size() > kKeptBytesMax && received_size_ <= kReceivedBytes) {
    received_.resize(kReceivedBytes);
    received_.shrink_to_fit();
  }
  return message;
}

}  // namespace inferd::python

#include "engines/python/python_process.h"

#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

namespace inferd::python {

namespace {

using Clock = std::chrono::steady_clock;

// The worker's descriptors, by their numbers there.
constexpr int kSocket = 3;
constexpr int kInputs = 4;
constexpr int kOutputs = 5;
constexpr uint32_t kMessageBytesMax = uint32_t{1} << 26;
// How long one that was told to end may take for it.
constexpr std::chrono::seconds kEndPatience{5};

// Descriptors are moved out of the way first: none of them may be overwritten before it is copied.
class SpawnSettings final {
 public:
  explicit SpawnSettings(const std::array<int, 3>& descriptors) {
    posix_spawn_file_actions_init(&actions_);
    constexpr int kAside = 100;
    for (size_t i = 0; i < descriptors.size(); ++i) {
      posix_spawn_file_actions_adddup2(&actions_, descriptors[i], kAside + static_cast<int>(i));
    }
    for (size_t i = 0; i < descriptors.size(); ++i) {
      posix_spawn_file_actions_adddup2(&actions_, kAside + static_cast<int>(i), kSocket + static_cast<int>(i));
    }
    // Clients' connections among them, which would outlive the server's end of them.
    posix_spawn_file_actions_addclosefrom_np(&actions_, kOutputs + 1);
    posix_spawnattr_init(&attributes_);
    // Signals to all of the server's group leave it to the server to drain first.
    sigset_t blocked;
    sigemptyset(&blocked);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&blocked, signal);
    posix_spawnattr_setsigmask(&attributes_, &blocked);
    sigset_t defaults;
    sigfillset(&defaults);
    posix_spawnattr_setsigdefault(&attributes_, &defaults);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;

  const posix_spawn_file_actions_t* actions() const { return &actions_; }
  const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

std::string_view NameIn(std::string_view variable) { return variable.substr(0, variable.find('=')); }

std::vector<std::string> Environment(const std::vector<std::string>& changes) {
  std::vector<std::string> all;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const bool changed =
        std::ranges::any_of(changes, [&](const std::string& change) { return NameIn(change) == NameIn(*variable); });
    if (!changed) all.emplace_back(*variable);
  }
  for (const std::string& change : changes) {
    if (change.find('=') != std::string::npos) all.push_back(change);
  }
  return all;
}

std::vector<char*> Pointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::string HowItEnded(const siginfo_t& info) {
  if (info.si_code == CLD_EXITED) return "left with status " + std::to_string(info.si_status);
  const char* const name = sigdescr_np(info.si_status);
  return "was ended by signal " + std::to_string(info.si_status) +
         (name == nullptr ? std::string() : " (" + std::string(name) + ")");
}

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
  const SpawnSettings settings({its.get(), inputs.descriptor(), outputs.descriptor()});
  // -u: what a model prints is seen when it prints it.
  std::vector<std::string> arguments = {interpreter.program, "-u", interpreter.worker.string(), std::move(title)};
  std::vector<std::string> environment = Environment(interpreter.environment);
  pid_t pid = 0;
  const int error = posix_spawnp(&pid, interpreter.program.c_str(), settings.actions(), settings.attributes(),
                                 Pointers(arguments).data(), Pointers(environment).data());
  if (error == ENOENT || error == EACCES || error == ENOEXEC || error == ENOTDIR) {
    return std::unexpected(base::FailedPrecondition("the Python interpreter '" + interpreter.program +
                                                    "' cannot be started: " + std::strerror(error)));
  }
  if (error != 0) {
    return std::unexpected(base::ResourceExhausted("no Python worker: " + std::string(std::strerror(error))));
  }
  base::FileDescriptor handle(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  if (!handle) {
    const base::Status status = base::ResourceExhausted("no Python worker: " + std::string(std::strerror(errno)));
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
    return std::unexpected(status);
  }
  return PythonProcess(pid, std::move(handle), std::move(ours), std::move(inputs), std::move(outputs));
}

PythonProcess::PythonProcess(pid_t pid, base::FileDescriptor handle, base::FileDescriptor socket, SharedArea inputs,
                             SharedArea outputs)
    : pid_(pid),
      handle_(std::move(handle)),
      socket_(std::move(socket)),
      inputs_(std::move(inputs)),
      outputs_(std::move(outputs)) {}

PythonProcess::~PythonProcess() {
  if (!handle_ || end_.has_value()) return;
  // The end of its messages tells it to end.
  socket_.Close();
  pollfd ended{.fd = handle_.get(), .events = POLLIN, .revents = 0};
  const auto patience = std::chrono::duration_cast<std::chrono::milliseconds>(kEndPatience);
  poll(&ended, 1, static_cast<int>(patience.count()));
  static_cast<void>(Lose({}));
}

base::Status PythonProcess::Lose(const base::Status& why) {
  if (!end_.has_value()) {
    // One that has ended by itself has closed the socket a moment before.
    constexpr int kMomentMs = 2000;
    pollfd ended{.fd = handle_.get(), .events = POLLIN, .revents = 0};
    const bool killed = poll(&ended, 1, why.ok() ? kMomentMs : 0) == 0;
    if (killed) syscall(SYS_pidfd_send_signal, handle_.get(), SIGKILL, nullptr, 0);
    siginfo_t info = {};
    while (waitid(P_PIDFD, static_cast<id_t>(handle_.get()), &info, WEXITED) != 0 && errno == EINTR) {
    }
    end_ = why.ok() || !killed ? HowItEnded(info) : std::string(why.message());
  }
  if (!why.ok()) return why;
  return base::Unavailable("the Python process " + *end_);
}

base::Status PythonProcess::Send(const MarshalWriter& message) {
  if (end_.has_value()) return Lose({});
  const auto size = static_cast<uint32_t>(message.bytes().size());
  std::array<iovec, 2> parts = {iovec{.iov_base = const_cast<uint32_t*>(&size), .iov_len = sizeof(size)},
                                iovec{.iov_base = const_cast<char*>(message.bytes().data()), .iov_len = size}};
  msghdr header = {};
  header.msg_iov = parts.data();
  header.msg_iovlen = parts.size();
  while (header.msg_iovlen > 0) {
    const ssize_t sent = sendmsg(socket_.get(), &header, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
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
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now());
    pollfd readable{.fd = socket_.get(), .events = POLLIN, .revents = 0};
    const int ready =
        left.count() <= 0 ? 0 : poll(&readable, 1, static_cast<int>(std::min<int64_t>(left.count(), 60'000)));
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0) {
      if (Clock::now() < until) continue;
      return Lose(base::DeadlineExceeded("the Python process did not answer in time, and was ended"));
    }
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

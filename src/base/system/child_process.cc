#include "base/system/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/system/poll_until.h"

namespace inferd::base {

namespace {

// Returns the signals that are blocked in the child.
sigset_t BlockedThere(bool apart) {
  sigset_t blocked;
  sigemptyset(&blocked);
  if (!apart) {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&blocked, signal);
  }
  return blocked;
}

// Returns the child's descriptors that `output` replaces.
std::span<const int> OutputsOf(const ChildCommand& command) {
  static constexpr std::array<int, 2> kBoth = {STDOUT_FILENO, STDERR_FILENO};
  if (command.output < 0) return {};
  return std::span(kBoth).first(command.own_errors ? 1 : 2);
}

class SpawnSettings final {
 public:
  // None of `descriptors` may be one of the numbers that the child is to have.
  SpawnSettings(std::span<const FileDescriptor> descriptors, const ChildCommand& command) {
    posix_spawn_file_actions_init(&actions_);
    // Comes before the other descriptors, one of which may take the number of `output`.
    for (const int output : OutputsOf(command)) {
      posix_spawn_file_actions_adddup2(&actions_, command.output, output);
    }
    int number = ChildProcess::kFirstDescriptor;
    for (const FileDescriptor& descriptor : descriptors) {
      posix_spawn_file_actions_adddup2(&actions_, descriptor.get(), number++);
    }
    posix_spawn_file_actions_addclosefrom_np(&actions_, number);
    posix_spawnattr_init(&attributes_);
    const sigset_t blocked = BlockedThere(command.apart);
    posix_spawnattr_setsigmask(&attributes_, &blocked);
    sigset_t defaults;
    sigfillset(&defaults);
    posix_spawnattr_setsigdefault(&attributes_, &defaults);
    const int group = command.own_session ? POSIX_SPAWN_SETSID : command.apart ? POSIX_SPAWN_SETPGROUP : 0;
    posix_spawnattr_setflags(&attributes_,
                             static_cast<int16_t>(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | group));
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

std::unexpected<Status> NoRoom() { return std::unexpected(ResourceExhausted(std::strerror(errno))); }

// Duplicates the descriptors to numbers above the child's, so that none is overwritten before it is copied.
Result<std::vector<FileDescriptor>> SetAside(std::span<const int> descriptors) {
  const int above = ChildProcess::kFirstDescriptor + static_cast<int>(descriptors.size());
  std::vector<FileDescriptor> aside;
  for (const int descriptor : descriptors) {
    aside.emplace_back(fcntl(descriptor, F_DUPFD_CLOEXEC, above));
    if (!aside.back()) return NoRoom();
  }
  return aside;
}

std::vector<std::string> Environment(const ChildCommand& command) {
  std::vector<std::string> all = command.environment.has_value() ? *command.environment : OwnEnvironment();
  const std::vector<std::string>& changes = command.environment_changes;
  std::erase_if(all, [&](const std::string& variable) {
    return std::ranges::any_of(
        changes, [&](const std::string& change) { return VariableName(change) == VariableName(variable); });
  });
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

// A child process made by fork().
class Fork final {
 public:
  Fork(const ChildCommand& command, std::span<const FileDescriptor> descriptors, char* const* arguments,
       char* const* environment)
      : command_(command), descriptors_(descriptors), arguments_(arguments), environment_(environment) {}

  // Returns 0, or the error's number.
  int Run(pid_t& pid) {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) return errno;
    const FileDescriptor reading(ends[0]);
    FileDescriptor writing(ends[1]);
    failure_ = FileDescriptor(fcntl(writing.get(), F_DUPFD_CLOEXEC, End()));
    if (!failure_) return errno;
    writing.Close();
    parent_ = getpid();
    // No signal handler of ours may run in the child.
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pid = fork();
    if (pid == 0) BecomeProgram();
    const int forked = pid < 0 ? errno : 0;
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (forked != 0) return forked;
    failure_.Close();
    int error = 0;
    ssize_t got = 0;
    do {
      got = read(reading.get(), &error, sizeof(error));
    } while (got < 0 && errno == EINTR);
    if (got != sizeof(error)) return 0;  // exec succeeded: the pipe was closed
    waitpid(pid, nullptr, 0);
    return error;
  }

 private:
  int End() const { return ChildProcess::kFirstDescriptor + static_cast<int>(descriptors_.size()); }

  // Other threads may have held locks at the fork, which stay locked here: only system calls are safe.
  [[noreturn]] void BecomeProgram() const {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent_) _exit(kExitFailed);  // the parent has ended meanwhile
    for (int signal = 1; signal < NSIG; ++signal) ::signal(signal, SIG_DFL);
    if (command_.own_session) {
      setsid();
    } else if (command_.apart) {
      setpgid(0, 0);
    }
    // "0" means the process that writes it.
    if (command_.control_group >= 0 && write(command_.control_group, "0", 1) != 1) Fail();
    for (const int output : OutputsOf(command_)) dup2(command_.output, output);
    int number = ChildProcess::kFirstDescriptor;
    for (const FileDescriptor& descriptor : descriptors_) dup2(descriptor.get(), number++);
    if (failure_.get() > number)
      close_range(static_cast<unsigned>(number), static_cast<unsigned>(failure_.get()) - 1, 0);
    close_range(static_cast<unsigned>(failure_.get()) + 1, ~0U, 0);
    const sigset_t blocked = BlockedThere(command_.apart);
    sigprocmask(SIG_SETMASK, &blocked, nullptr);
    execvpe(command_.program.c_str(), arguments_, environment_);
    Fail();
  }

  [[noreturn]] void Fail() const {
    const int error = errno;
    static_cast<void>(!write(failure_.get(), &error, sizeof(error)));
    _exit(kExitFailed);
  }

  static constexpr int kExitFailed = 127;

  const ChildCommand& command_;
  const std::span<const FileDescriptor> descriptors_;
  char* const* const arguments_;
  char* const* const environment_;
  FileDescriptor failure_;  // a pipe for the error if exec fails
  pid_t parent_ = 0;
};

int Spawn(pid_t& pid, const ChildCommand& command, std::span<const FileDescriptor> descriptors, char* const* arguments,
          char* const* environment) {
  const SpawnSettings settings(descriptors, command);
  return posix_spawnp(&pid, command.program.c_str(), settings.actions(), settings.attributes(), arguments, environment);
}

}  // namespace

std::vector<std::string> OwnEnvironment() {
  std::vector<std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) variables.emplace_back(*variable);
  return variables;
}

std::string_view VariableName(std::string_view variable) { return variable.substr(0, variable.find('=')); }

Result<ChildProcess> ChildProcess::Start(const ChildCommand& command) {
  INFERD_ASSIGN_OR_RETURN(const std::vector<FileDescriptor> descriptors, SetAside(command.descriptors));
  std::vector<std::string> arguments = command.arguments;
  std::vector<std::string> environment = Environment(command);
  const std::vector<char*> argv = Pointers(arguments);
  const std::vector<char*> envp = Pointers(environment);
  pid_t pid = 0;
  const int error = command.ends_with_thread ? Fork(command, descriptors, argv.data(), envp.data()).Run(pid)
                                             : Spawn(pid, command, descriptors, argv.data(), envp.data());
  if (error == ENOENT || error == EACCES || error == ENOEXEC || error == ENOTDIR) {
    return std::unexpected(FailedPrecondition(std::strerror(error)));
  }
  if (error != 0) return std::unexpected(ResourceExhausted(std::strerror(error)));
  FileDescriptor handle(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  if (!handle) {
    auto no_room = NoRoom();
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
    return no_room;
  }
  return ChildProcess(pid, std::move(handle));
}

ChildProcess::~ChildProcess() {
  if (!handle_ || waited_for_) return;
  Kill();
  static_cast<void>(WaitForEnd());
}

// Uses the system call: glibc 2.36 declares its function for C only.
void ChildProcess::Kill() const { syscall(SYS_pidfd_send_signal, handle_.get(), SIGKILL, nullptr, 0); }

void ChildProcess::Terminate() const { syscall(SYS_pidfd_send_signal, handle_.get(), SIGTERM, nullptr, 0); }

bool ChildProcess::EndsBefore(std::chrono::steady_clock::time_point deadline) const {
  return PollUntil(handle_.get(), POLLIN, deadline);
}

std::string ChildProcess::WaitForEnd() {
  siginfo_t info = {};
  int result = 0;
  do {
    result = waitid(P_PIDFD, static_cast<id_t>(handle_.get()), &info, WEXITED);
  } while (result != 0 && errno == EINTR);
  waited_for_ = true;
  exit_code_ = info.si_code == CLD_EXITED ? info.si_status : 128 + info.si_status;
  return result == 0 ? HowItEnded(info) : "is gone";
}

}  // namespace inferd::base

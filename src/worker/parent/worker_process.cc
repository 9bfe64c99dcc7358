#include "worker/parent/worker_process.h"

#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "worker/child/run_worker.h"
#include "worker/control/poll_until.h"

namespace inferd::worker {

namespace {

// A process of its own towards signals: a signal that ends the server, by Ctrl-C or to all of its control group, leaves
// it to the server to drain first.
class SpawnSettings final {
 public:
  explicit SpawnSettings(int socket) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_adddup2(&actions_, socket, kWorkerSocket);
    // Clients' connections among them, which would outlive the server's end of them.
    posix_spawn_file_actions_addclosefrom_np(&actions_, kWorkerSocket + 1);
    posix_spawnattr_init(&attributes_);
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

std::string HowItEnded(const siginfo_t& info) {
  if (info.si_code == CLD_EXITED) return "left with status " + std::to_string(info.si_status);
  const char* name = sigdescr_np(info.si_status);
  return "was ended by signal " + std::to_string(info.si_status) +
         (name == nullptr ? std::string() : " (" + std::string(name) + ")");
}

}  // namespace

WorkerProcess::WorkerProcess(pid_t pid, base::FileDescriptor handle, ControlSocket socket)
    : pid_(pid), handle_(std::move(handle)), socket_(std::move(socket)), life_([this] { SendKill(); }) {}

// As a system call: glibc 2.36 declares its function for C alone.
void WorkerProcess::SendKill() const { syscall(SYS_pidfd_send_signal, handle_.get(), SIGKILL, nullptr, 0); }

void WorkerProcess::Abandon() {
  abandoned_.store(true);
  SendKill();
}

base::Result<std::shared_ptr<WorkerProcess>> WorkerProcess::Start(const std::filesystem::path& program,
                                                                  std::string title) {
  INFERD_ASSIGN_OR_RETURN(auto sockets, ControlSocket::MakePair());
  const SpawnSettings settings(sockets.second.descriptor());
  std::string path = program.string();
  char* const arguments[] = {path.data(), title.data(), nullptr};
  pid_t pid = 0;
  const int error = posix_spawn(&pid, path.c_str(), settings.actions(), settings.attributes(), arguments, environ);
  if (error == ENOENT || error == EACCES || error == ENOEXEC) {
    return std::unexpected(
        base::FailedPrecondition("an isolated model needs the program '" + path + "': " + std::strerror(error)));
  }
  if (error != 0) {
    return std::unexpected(base::ResourceExhausted("no worker process: " + std::string(std::strerror(error))));
  }
  base::FileDescriptor handle(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  if (!handle) {
    const base::Status status = base::ResourceExhausted("no worker process: " + std::string(std::strerror(errno)));
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
    return std::unexpected(status);
  }
  return std::shared_ptr<WorkerProcess>(new WorkerProcess(pid, std::move(handle), std::move(sockets.first)));
}

WorkerProcess::~WorkerProcess() {
  if (waited_for_) return;
  life_.Kill(base::Unavailable("nobody needs the worker process"));
  static_cast<void>(WaitForEnd());
}

base::Status WorkerProcess::LossWhile(std::string_view what) {
  return base::Unavailable(std::string(life_.AwaitLoss().message()) + " while " + std::string(what));
}

base::Status WorkerProcess::OpenEngine(const StartOrder& order) {
  const auto reply = Order(socket_, EncodeStartOrder(order));
  return reply.has_value() ? base::OkStatus() : reply.error();
}

base::Result<std::shared_ptr<ControlSocket>> WorkerProcess::OpenModel() {
  INFERD_ASSIGN_OR_RETURN(auto sockets, ControlSocket::MakePair());
  INFERD_RETURN_IF_ERROR(socket_.Send("", sockets.second.descriptor()));
  return std::make_shared<ControlSocket>(std::move(sockets.first));
}

bool WorkerProcess::EndsBefore(std::chrono::steady_clock::time_point deadline) {
  return PollUntil(handle_.get(), POLLIN, deadline);
}

std::string WorkerProcess::WaitForEnd() {
  siginfo_t info = {};
  int result = 0;
  do {
    result = waitid(P_PIDFD, static_cast<id_t>(handle_.get()), &info, WEXITED);
  } while (result != 0 && errno == EINTR);
  waited_for_ = true;
  return result == 0 ? HowItEnded(info) : "is gone";
}

}  // namespace inferd::worker

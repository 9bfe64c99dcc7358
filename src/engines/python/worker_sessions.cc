#include "engines/python/worker_sessions.h"

#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <optional>

#include "base/system/file_descriptor.h"
#include "engines/python/process_stat.h"

namespace inferd::python {

namespace {

// Bounds the fight against a process that starts others as fast as they are killed.
constexpr int kRoundsMax = 100;

}  // namespace

WorkerSessions::WorkerSessions(Orphans orphans) : orphans_(orphans), own_session_(getsid(0)) {}

base::Result<base::ChildProcess> WorkerSessions::Start(base::ChildCommand command) {
  command.own_session = true;
  // Adopt only now, so that orphans of other processes' workers do not come here.
  if (orphans_ == Orphans::kAdopt) prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  // A worker that is not in the list yet would be taken for an orphan.
  const base::MutexLock lock(mutex_);
  auto child = base::ChildProcess::Start(command);
  if (child.has_value()) workers_.insert(child->pid());
  return child;
}

void WorkerSessions::End(pid_t worker) {
  const base::MutexLock lock(mutex_);
  for (int round = 0; round < kRoundsMax && EndSome(worker) > 0; ++round) {
  }
  workers_.erase(worker);
}

size_t WorkerSessions::EndSome(pid_t worker) {
  size_t ended = 0;
  for (const pid_t process : Processes()) {
    if (process == worker || workers_.contains(process)) continue;
    const auto belongs = [&](const std::optional<ProcessStat>& stat) {
      if (!stat.has_value()) return false;
      const bool orphan = orphans_ == Orphans::kAdopt && stat->parent == getpid() && stat->session != own_session_;
      return orphan || (stat->session == worker && stat->state != 'Z');
    };
    if (!belongs(StatOf(process))) continue;
    // Check again with the handle: the id may belong to another process by now.
    const base::FileDescriptor handle(static_cast<int>(syscall(SYS_pidfd_open, process, 0)));
    const std::optional<ProcessStat> stat = StatOf(process);
    if (!handle || !belongs(stat)) continue;
    ++ended;
    syscall(SYS_pidfd_send_signal, handle.get(), SIGKILL, nullptr, 0);
    if (stat->parent != getpid()) continue;
    siginfo_t info = {};
    waitid(P_PIDFD, static_cast<id_t>(handle.get()), &info, WEXITED);
  }
  return ended;
}

}  // namespace inferd::python

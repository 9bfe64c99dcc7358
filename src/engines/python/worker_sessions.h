#pragma once

#include <sys/types.h>

#include <set>

#include "base/mutex.h"
#include "base/status.h"
#include "base/system/child_process.h"

namespace inferd::python {

// The sessions of this process's worker processes. Each also contains the processes that its model starts. These end
// with their worker, even if they have left its session: for that, this process adopts orphans. Use one object per
// process, since it takes every unknown adopted process for an orphan of a worker. Thread-safe.
class WorkerSessions final {
 public:
  enum class Orphans { kLeave, kAdopt };
  // kAdopt: from the first worker on, orphaned descendants become children of this process (PR_SET_CHILD_SUBREAPER).
  explicit WorkerSessions(Orphans orphans = Orphans::kLeave);
  WorkerSessions(const WorkerSessions&) = delete;
  WorkerSessions& operator=(const WorkerSessions&) = delete;

  // Starts a worker in its own session. Errors as for ChildProcess::Start().
  base::Result<base::ChildProcess> Start(base::ChildCommand command);
  // Kills the processes that the worker's model started. Call between the worker's end and WaitForEnd(), while its id
  // cannot be reused. Blocks while it scans all processes, up to some times.
  void End(pid_t worker);

 private:
  // Returns the number of processes that it killed or waited for.
  size_t EndSome(pid_t worker) REQUIRES(mutex_);

  const Orphans orphans_;
  const pid_t own_session_;
  base::Mutex mutex_;
  std::set<pid_t> workers_ GUARDED_BY(mutex_);  // not waited for yet
};

}  // namespace inferd::python

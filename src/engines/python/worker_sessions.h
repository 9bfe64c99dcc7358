#pragma once

#include <sys/types.h>

#include <set>

#include "base/mutex.h"
#include "base/status.h"
#include "base/system/child_process.h"

namespace inferd::python {

// The sessions of the worker processes that this process has started, each with the processes that its model starts.
// Those end with their worker, also where they have left its session: this process adopts orphans for that. One object
// per process, since it takes adopted processes that it does not know for orphans of a worker. Thread-safe.
class WorkerSessions final {
 public:
  enum class Orphans { kLeave, kAdopt };
  // kAdopt: from the first worker on, orphaned descendants become children of this process (PR_SET_CHILD_SUBREAPER).
  explicit WorkerSessions(Orphans orphans = Orphans::kLeave);
  WorkerSessions(const WorkerSessions&) = delete;
  WorkerSessions& operator=(const WorkerSessions&) = delete;

  // Starts a worker in a session of its own. Errors are ChildProcess::Start's.
  base::Result<base::ChildProcess> Start(base::ChildCommand command);
  // Kills what the worker's model has started. Call between the worker's end and WaitForEnd(): its number is its own
  // until then. Blocks for as long as it takes to look at all processes, some times.
  void End(pid_t worker);

 private:
  // Returns how many processes it has killed or waited for.
  size_t EndSome(pid_t worker) REQUIRES(mutex_);

  const Orphans orphans_;
  const pid_t own_session_;
  base::Mutex mutex_;
  std::set<pid_t> workers_ GUARDED_BY(mutex_);  // that have not been waited for
};

}  // namespace inferd::python

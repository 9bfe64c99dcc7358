#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/mutex.h"
#include "base/turn.h"
#include "serving/core/scheduler.h"
#include "serving/scheduling/batch/batch_memory.h"
#include "serving/scheduling/batch/execution_figures.h"
#include "serving/scheduling/held_threads.h"
#include "serving/scheduling/inline_lane.h"
#include "serving/scheduling/instance_crew.h"
#include "serving/scheduling/queue/refusals.h"
#include "serving/scheduling/scheduler_options.h"
#include "serving/scheduling/source/work_source.h"

namespace inferd::scheduling {

// Runs what a WorkSource has on the instances of one version, one execution of an instance at a time: on the instance's
// own thread, or on the thread that brought the requests where the InlineLane lets it. Executions are formed by the
// thread that is about to run them, so that they have all that has come by then: that of an idle instance, or one that
// has handed on all it had (base::Turn). A thread that has run one forms the next. An instance holds its claim on what
// all share while it executes, and forms its execution when it has it.
//
// An execution lasts until the engine has finished it, which may be long after EngineInstance::Execute has returned: so
// long it counts in all figures, is one of those that its instance may have (EngineModel::unfinished_executions_max),
// and holds the instance's claim. An instance that needs a claim has one execution at a time.
//
// Thread-safe. Its lock is the scheduler's one lock: it guards the source, and what else is handed in, too. No
// completion runs under it.
class InstancePool final {
 public:
  // All but `places` outlive this, and `version` gives its instances away.
  struct Parts {
    core::SchedulerParts& version;
    std::vector<InstancePlace> places;  // of the version's instances
    const SchedulerOptions& options;
    const SchedulerServices& services;
    WorkSource& source;
    ExecutionFigures& figures;
    BatchMemory& memory;
    const Refusals& refusals;
  };
  // An execution that the calling thread is to run.
  struct Run {
    InstanceWorker* worker = nullptr;  // null: nothing to run
    FormedBatch batch;
    Place place = Place::kCaller;
  };

  explicit InstancePool(Parts parts);
  // Every request has been answered. Waits for the instances' threads.
  ~InstancePool();

  base::Mutex& mutex() const INFERD_TSA(lock_returned(mutex_)) { return mutex_; }

  // Whether the request, which is to be pushed, is run at the end of this thread's turn, and no instance need be woken.
  bool WaitsForTurn(const QueueEntry& entry) REQUIRES(mutex_);
  // Whether the request may run on this thread and at once, and why. If so, the next idle instance has its claim, and
  // TakeLone() of an execution of the request, and RunLone(), follow.
  std::optional<core::BatchReason> StartsLone(const QueueEntry& entry) REQUIRES(mutex_);
  InstanceWorker& TakeLone(const FormedBatch& batch) REQUIRES(mutex_);
  // Runs what TakeLone() has given the worker, and what follows it; where the thread's turn is movable, as its next
  // step. This may be gone afterwards.
  void RunLone(InstanceWorker& worker) EXCLUDES(mutex_);

  // On an instance by itself, in turn. What is warmed up is the instance.
  void WarmUp(std::unique_ptr<QueueEntry> entry, DroppedEntries& dropped) REQUIRES(mutex_);
  // Wakes an idle instance if there is work for it, or sees to it that this is asked again in time.
  void WakeIfReady(int64_t now_ns, DroppedEntries& dropped) REQUIRES(mutex_);
  // The source may be due earlier than it was.
  void ArmForSource() REQUIRES(mutex_) { ArmAt(source_.due_ns()); }

  // Without SchedulerOptions::threads: runs what one instance was woken for, on this thread. False: none was.
  bool RunWoken() EXCLUDES(mutex_);

  // Fills in what the report says of instances, and of executions on connections' threads.
  void Report(core::SchedulerReport& report) const REQUIRES(mutex_);

 private:
  struct Elapsed {
    int64_t started_ns = 0;
    int64_t ended_ns = 0;
    int64_t blamed_ns = 0;  // how long it took as far as the model is to blame
  };

  // The DeadlineWatch calls it; returns when to be called again, 0: when armed.
  int64_t OnTime() EXCLUDES(mutex_);
  void ArmAt(int64_t at_ns) REQUIRES(mutex_);
  bool MayRunOnNextIdle() const REQUIRES(mutex_) { return crew_.idle() > 0 && crew_.NextIdle().place.cores.empty(); }
  bool Wake(InstanceWorker& worker) REQUIRES(mutex_);
  // The next execution of an instance that has none; none: it is idle now.
  FormedBatch Form(InstanceWorker& worker, Place place, int64_t now_ns, DroppedEntries& dropped) REQUIRES(mutex_);
  FormedBatch FormWithClaim(InstanceWorker& worker, const Elapsed& elapsed, Place place, DroppedEntries& dropped)
      EXCLUDES(mutex_);
  void RunWorker(InstanceWorker& worker) EXCLUDES(mutex_);
  // Waits until the worker is woken, and runs what it was woken for. False: it is to end.
  bool RunWoken(InstanceWorker& worker) EXCLUDES(mutex_);
  void EndTurn(const base::Turn& turn) EXCLUDES(mutex_);
  // From an instance's own thread to the one that brought the requests; false: it stays here.
  bool GiveBack(const Run& run) EXCLUDES(mutex_);
  // To this thread's next turn; false: it has none, nor is there another thread.
  bool GoOnLater(const Run& run) EXCLUDES(mutex_);
  // What a connections' thread is to do with the execution later.
  base::Task PutOff(const Run& run) EXCLUDES(mutex_);
  void RunPutOff(InstanceWorker& worker) EXCLUDES(mutex_);
  void RunHere(Run& run) EXCLUDES(mutex_);
  void RunLoneHere(InstanceWorker& worker) EXCLUDES(mutex_);
  // Runs it, and forms the next one in its place; false: there is none, the worker is idle now or has the rest of what
  // took too long here, and this may be gone.
  bool RunOne(Run& run) EXCLUDES(mutex_);
  // None: the worker's thread has the rest.
  std::optional<Elapsed> Execute(Run& run) EXCLUDES(mutex_);
  // Of what has returned. Null: the engine has not finished it, and OnFinished() will have it.
  std::unique_ptr<BatchExecution> TakeBack(InstanceWorker& worker, const FormedBatch& batch, int64_t started_ns)
      EXCLUDES(mutex_);
  bool IsFull(const InstanceWorker& worker) const REQUIRES(mutex_);
  bool MayFormHere() const REQUIRES(mutex_);
  // The next execution of a worker that has none and is not idle, on this thread; no worker: it is idle, or its own
  // thread has what this one may not run.
  Run FormHere(InstanceWorker& worker, int64_t now_ns, DroppedEntries& dropped) REQUIRES(mutex_);
  // An execution of such a worker, perhaps none, on this thread; no worker: as above.
  Run BeginHere(InstanceWorker& worker, const FormedBatch& batch, int64_t now_ns) REQUIRES(mutex_);
  // On a thread of the engine, or a connections' one that has waited for the engine.
  void OnFinished(InstanceWorker& worker, FormedBatch batch, int64_t started_ns,
                  std::unique_ptr<BatchExecution> execution) EXCLUDES(mutex_);
  // What a finished execution has taken, and what is left of it.
  void Record(FormedBatch& batch, const InstanceWorker& worker, int64_t started_ns, int64_t finished_ns,
              std::unique_ptr<BatchExecution> execution, BatchExecution::Remains& remains) REQUIRES(mutex_);

  const core::SchedulerParts& version_;
  const SchedulerServices services_;
  const Refusals& refusals_;
  mutable base::Mutex mutex_;
  WorkSource& source_ GUARDED_BY(mutex_);
  ExecutionFigures& figures_ GUARDED_BY(mutex_);
  BatchMemory& memory_ GUARDED_BY(mutex_);
  InlineLane lane_ GUARDED_BY(mutex_);
  InstanceCrew crew_ GUARDED_BY(mutex_);
  const std::vector<std::unique_ptr<InstanceWorker>>& workers_;  // crew_'s, which stay the same
  int64_t armed_ns_ GUARDED_BY(mutex_) = 0;
  const int64_t gate_limit_ns_;
  const bool is_movable_;  // InlineLane's
  uint64_t deadline_id_ = 0;
  HeldThreads::HolderId holder_id_ = 0;
};

}  // namespace inferd::scheduling

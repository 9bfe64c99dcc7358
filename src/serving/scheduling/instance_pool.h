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

// Runs the executions of a WorkSource on the instances of one version, one per instance at a time. An execution runs on
// the instance's own thread, or on the thread that brought the requests if the InlineLane allows it. The thread that is
// about to run an execution forms it, so that it includes every request that has arrived by then. That thread belongs
// to an idle instance, or has read all its requests (base::Turn). After an execution, the same thread forms the next
// one. An instance acquires its claim on shared resources first, forms the execution then, and holds the claim while it
// executes.
//
// An execution lasts until the engine has finished it, possibly long after EngineInstance::Execute has returned. Until
// then it counts in all figures and against EngineModel::unfinished_executions_max, and holds the instance's claim. An
// instance that needs a claim has one execution at a time.
//
// Thread-safe. Its lock is the scheduler's only lock, and also guards the source and the other parts. No completion
// runs under it.
class InstancePool final {
 public:
  // Everything except `places` outlives the pool. The instances are moved out of `version`.
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
  // An execution for the calling thread to run.
  struct Run {
    InstanceWorker* worker = nullptr;  // null if there is nothing to run
    FormedBatch batch;
    Place place = Place::kCaller;
  };

  explicit InstancePool(Parts parts);
  // Every request must have been answered. Waits for the instances' threads.
  ~InstancePool();

  base::Mutex& mutex() const INFERD_TSA(lock_returned(mutex_)) { return mutex_; }

  // Returns true if the request, which is about to be queued, runs at the end of this thread's turn. No instance needs
  // to be woken then.
  bool WaitsForTurn(const QueueEntry& entry) REQUIRES(mutex_);
  // Decides whether the request runs now, on this thread, and returns the reason. If it does, the next idle instance
  // holds its claim, and the caller must call TakeLone() with an execution of the request, and then RunLone().
  std::optional<core::BatchReason> StartsLone(const QueueEntry& entry) REQUIRES(mutex_);
  InstanceWorker& TakeLone(const FormedBatch& batch) REQUIRES(mutex_);
  // Runs the execution that TakeLone() gave to the worker, and those that follow it. If the thread's turn is movable,
  // it runs as the turn's next step. The pool may be destroyed when this returns.
  void RunLone(InstanceWorker& worker) EXCLUDES(mutex_);

  // Runs a warm-up alone on an instance, the instances in turn: each instance must be warmed up.
  void WarmUp(std::unique_ptr<QueueEntry> entry, DroppedEntries& dropped) REQUIRES(mutex_);
  // Wakes an idle instance if there is work for it. Otherwise arranges a later check.
  void WakeIfReady(int64_t now_ns, DroppedEntries& dropped) REQUIRES(mutex_);
  // Call when the source may be due earlier than before.
  void ArmForSource() REQUIRES(mutex_) { ArmAt(source_.due_ns()); }

  // If SchedulerOptions::threads is false: runs the work of one woken instance on this thread. Returns false if none
  // was woken.
  bool RunWoken() EXCLUDES(mutex_);

  // Fills in the report's fields about instances, and about executions on connections' threads.
  void Report(core::SchedulerReport& report) const REQUIRES(mutex_);

 private:
  struct Elapsed {
    int64_t started_ns = 0;
    int64_t ended_ns = 0;
    int64_t blamed_ns = 0;  // the part of the time that is the model's fault
  };

  // Called by the DeadlineWatch. Returns when to call it again, or 0 for when it is armed again.
  int64_t OnTime() EXCLUDES(mutex_);
  void ArmAt(int64_t at_ns) REQUIRES(mutex_);
  bool MayRunOnNextIdle() const REQUIRES(mutex_) { return crew_.idle() > 0 && crew_.NextIdle().place.cores.empty(); }
  bool Wake(InstanceWorker& worker) REQUIRES(mutex_);
  // Forms the next execution of an instance that has none. Empty if there is none: the instance is idle then.
  FormedBatch Form(InstanceWorker& worker, Place place, int64_t now_ns, DroppedEntries& dropped) REQUIRES(mutex_);
  FormedBatch FormWithClaim(InstanceWorker& worker, const Elapsed& elapsed, Place place, DroppedEntries& dropped)
      EXCLUDES(mutex_);
  void RunWorker(InstanceWorker& worker) EXCLUDES(mutex_);
  // Waits until the worker is woken, and runs its work. Returns false if the worker must end.
  bool RunWoken(InstanceWorker& worker) EXCLUDES(mutex_);
  void EndTurn(const base::Turn& turn) EXCLUDES(mutex_);
  // Gives the execution back from an instance's own thread to the thread that brought the request. Returns false if it
  // stays here.
  bool GiveBack(const Run& run) EXCLUDES(mutex_);
  // Leaves the execution to this thread's next turn. Returns false if the thread has none, and there is no other
  // thread.
  bool GoOnLater(const Run& run) EXCLUDES(mutex_);
  // Keeps the execution, and returns the task that runs it later on a connections' thread.
  base::Task PutOff(const Run& run) EXCLUDES(mutex_);
  void RunPutOff(InstanceWorker& worker) EXCLUDES(mutex_);
  void RunHere(Run& run) EXCLUDES(mutex_);
  void RunLoneHere(InstanceWorker& worker) EXCLUDES(mutex_);
  // Runs the execution, and replaces it by the next one. Returns false if there is no next one: the worker is idle, or
  // its own thread has the rest of an execution that took too long here. The pool may then be destroyed.
  bool RunOne(Run& run) EXCLUDES(mutex_);
  // Returns nullopt if the worker's own thread has the rest.
  std::optional<Elapsed> Execute(Run& run) EXCLUDES(mutex_);
  // Returns the execution if the engine has finished it. Null if not: OnFinished() will get it.
  std::unique_ptr<BatchExecution> TakeBack(InstanceWorker& worker, const FormedBatch& batch, int64_t started_ns)
      EXCLUDES(mutex_);
  bool IsFull(const InstanceWorker& worker) const REQUIRES(mutex_);
  bool MayFormHere() const REQUIRES(mutex_);
  // Forms the next execution, for this thread, of a worker that has none and is not idle. Returns no worker if it is
  // idle now, or if its own thread got an execution that this thread may not run.
  Run FormHere(InstanceWorker& worker, int64_t now_ns, DroppedEntries& dropped) REQUIRES(mutex_);
  // Prepares an execution (perhaps empty) of such a worker for this thread. Returns no worker in the same cases.
  Run BeginHere(InstanceWorker& worker, const FormedBatch& batch, int64_t now_ns) REQUIRES(mutex_);
  // Runs on a thread of the engine, or on a connections' thread that has waited for the engine.
  void OnFinished(InstanceWorker& worker, FormedBatch batch, int64_t started_ns,
                  std::unique_ptr<BatchExecution> execution) EXCLUDES(mutex_);
  // Records a finished execution, recycles its memory, and queues the members that must run again.
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
  const std::vector<std::unique_ptr<InstanceWorker>>& workers_;  // crew_'s, which never change
  int64_t armed_ns_ GUARDED_BY(mutex_) = 0;
  const int64_t gate_limit_ns_;
  const bool is_movable_;  // InlineLane's
  uint64_t deadline_id_ = 0;
  HeldThreads::HolderId holder_id_ = 0;
};

}  // namespace inferd::scheduling

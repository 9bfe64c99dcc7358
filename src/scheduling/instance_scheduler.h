#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "base/turn.h"
#include "core/scheduler.h"
#include "scheduling/batch/batch_memory.h"
#include "scheduling/batch/execution_context.h"
#include "scheduling/batch/execution_figures.h"
#include "scheduling/entrance.h"
#include "scheduling/held_threads.h"
#include "scheduling/instance_worker.h"
#include "scheduling/policy/inline_gate.h"
#include "scheduling/policy/sharing_limit.h"
#include "scheduling/queue/refusals.h"
#include "scheduling/requests/answer_order.h"
#include "scheduling/requests/shape_padding.h"
#include "scheduling/scheduler_options.h"
#include "scheduling/source/batching_source.h"

namespace inferd::scheduling {

// The scheduler of every version: requests wait by priority (WaitingRequests), and each idle instance runs what the
// batch policy makes of them, one execution at a time. A model that does not batch is one whose executions have one
// request each. Thread-safe.
//
// A request meets, in this order: its priority's level and what that says of its timeout, the adaptive limit
// (Admission), where it may take the place of a less urgent one that waits, splitting and padding, the queue of its
// level. A lone request that needs not wait for others runs at once: on the calling thread if the
// InlineGate lets it, else on an idle instance's thread. Batches are formed by the thread that is about to run them, so
// that they have all that has come by then: an idle instance's thread, or, of a model that the gate lets in, the thread
// that brought the requests, when it has handed on all it had (base::Turn). A thread that has run one forms the next.
// What waits is answered DEADLINE_EXCEEDED "Request timeout expired" when its time is up, CANCELLED soon after it was
// cancelled, and not when its turn would have come; RESOURCE_EXHAUSTED "Exceeds maximum queue size" at once, where its
// level is full. No completion runs under a lock. An instance holds its claim on what all share while it executes, and
// forms its batch when it has it.
//
// An execution lasts until the engine has finished it, which may be long after EngineInstance::Execute has returned: so
// long it counts in all figures, is one of those that its instance may have (EngineModel::unfinished_executions_max),
// and holds the instance's claim. An instance that needs a claim has one execution at a time.
class InstanceScheduler final : public core::Scheduler {
 public:
  struct Parts {
    core::SchedulerParts version;
    std::unique_ptr<VersionMetrics> metrics;
    ExecutionContext context;
    ShapePadding padding;
    std::vector<InstancePlace> places;  // of the version's instances
  };
  InstanceScheduler(Parts parts, const SchedulerOptions& options, const SchedulerServices& services);
  // Every request has been answered: each pins the version that owns this.
  ~InstanceScheduler() override;

  void Enqueue(core::QueuedRequest&& queued) override;
  core::SchedulerReport Report() const override;
  std::vector<core::BatchRecord> RecentExecutions() const override;

  // Answers what has waited too long, and begins what has waited as long as the batch delay allows. The DeadlineWatch
  // calls it; returns when to be called again, 0: when armed.
  int64_t OnTime();

  // Without SchedulerOptions::threads: runs what one instance was woken for, on this thread. False: none was.
  bool RunWoken();

 private:
  // Which thread runs an execution: the instance's, or the one that brought the request; there, perhaps, with an eye on
  // what the execution itself uses (InlineGate::watching).
  enum class Place { kWorker, kCaller, kWatchedCaller };

  struct Elapsed {
    int64_t started_ns = 0;
    int64_t ended_ns = 0;
    int64_t blamed_ns = 0;  // how long it took as far as the model is to blame
  };

  // How requests come in, and leave without having run; instance_scheduler_admit.cc: which are let in.
  bool TakePlace(core::QueuedRequest& queued, uint64_t level, int64_t retry_after_ms);
  void EnqueuePart(core::QueuedRequest&& queued, uint64_t level);
  bool MayRunHere(const QueueEntry& entry) const REQUIRES(mutex_);
  bool WaitsForTurn(const QueueEntry& entry, const base::Turn* turn) const REQUIRES(mutex_);
  bool Gathers(const base::Turn& turn) const REQUIRES(mutex_);
  std::optional<core::BatchReason> StartsLone(const QueueEntry& entry) REQUIRES(mutex_);
  void WarmUp(std::unique_ptr<QueueEntry> entry, DroppedEntries& dropped) REQUIRES(mutex_);
  std::unique_ptr<QueueEntry> Push(std::unique_ptr<QueueEntry> entry, int64_t now_ns, DroppedEntries& dropped)
      REQUIRES(mutex_);
  int64_t DrainedAfterMs(uint64_t level) const REQUIRES(mutex_);

  // instance_scheduler_form.cc: which instance runs what waits. WakeIfReady wakes an idle instance if there is a batch
  // for it, or sees to it that this is asked again in time; Form makes the next batch of an instance that has none, or
  // leaves it idle.
  void WakeIfReady(int64_t now_ns, DroppedEntries& dropped) REQUIRES(mutex_);
  bool WakeIdle(InstanceWorker& worker) REQUIRES(mutex_);
  bool Signal(InstanceWorker& worker) REQUIRES(mutex_);
  bool LacksThreads(int64_t now_ns) REQUIRES(mutex_);
  void WatchInline(int64_t now_ns) REQUIRES(mutex_);
  int64_t FindHeld(int64_t now_ns) REQUIRES(mutex_);
  std::string HeldBy() const;
  void ArmAt(int64_t at_ns) REQUIRES(mutex_);
  FormedBatch Form(InstanceWorker& worker, Place place, int64_t now_ns, DroppedEntries& dropped) REQUIRES(mutex_);

  // instance_scheduler_run.cc
  Place CallerPlace(int64_t rows) const REQUIRES(mutex_) {
    return gate_.watching(rows) ? Place::kWatchedCaller : Place::kCaller;
  }
  void RunWorker(InstanceWorker& worker);
  void RunWoken(InstanceWorker& worker);
  void EndTurn(const base::Turn& turn);
  void RunInline(InstanceWorker& worker, FormedBatch batch, Place place);
  bool PutOff(InstanceWorker& worker, const FormedBatch& batch, Place place) EXCLUDES(mutex_);
  bool MayRunHere(const FormedBatch& batch) const REQUIRES(mutex_);
  bool HandOver(InstanceWorker& worker, const FormedBatch& batch) REQUIRES(mutex_);
  // Runs `batch` on the worker's instance, then forms the next one; none: the worker is idle now, or has the rest of
  // what took too long here, and this may be gone.
  FormedBatch RunOne(InstanceWorker& worker, FormedBatch batch, Place place);
  FormedBatch FormWithClaim(InstanceWorker& worker, const Elapsed& elapsed, Place place, DroppedEntries& dropped)
      EXCLUDES(mutex_);
  // None: the worker's thread has the rest.
  std::optional<Elapsed> Execute(InstanceWorker& worker, FormedBatch& batch, Place place);
  // False: there is more of it than this thread has time for (FormedBatch::begun_ns).
  bool Advance(InstanceWorker& worker, FormedBatch& batch, int64_t now_ns, Place place);
  int UnfinishedMax(const InstanceWorker& worker) const { return worker.place.claim->free() ? unfinished_max_ : 1; }
  void MakeIdle(InstanceWorker& worker) REQUIRES(mutex_);
  // Of what has returned. Null: the engine has not finished it, and OnFinished() will have it.
  std::unique_ptr<BatchExecution> TakeBack(InstanceWorker& worker, const FormedBatch& batch, int64_t started_ns);
  // On a thread of the engine.
  void OnFinished(InstanceWorker& worker, FormedBatch batch, int64_t started_ns,
                  std::unique_ptr<BatchExecution> execution);
  void Record(FormedBatch& batch, const InstanceWorker& worker, int64_t started_ns, int64_t finished_ns)
      REQUIRES(mutex_);
  void Recycle(std::unique_ptr<BatchExecution> execution, BatchExecution::Remains& remains) REQUIRES(mutex_);

  SharingLimit sharing_;
  Parts parts_;  // but for the instances, which the workers have
  const SchedulerOptions options_;
  const SchedulerServices services_;
  const config::ModelConfig& config_;
  const bool preserves_order_;
  const bool looks_for_more_;  // before an execution begins: one in another process is dear, whatever its size
  const int64_t gate_limit_ns_;
  const int unfinished_max_;  // executions of an instance
  Entrance entrance_;
  const Refusals refusals_;
  AnswerOrder order_;  // where it is preserved

  mutable base::Mutex mutex_;
  bool stopping_ GUARDED_BY(mutex_) = false;
  ExecutionFigures figures_ GUARDED_BY(mutex_);
  BatchMemory memory_ GUARDED_BY(mutex_);
  const std::unique_ptr<WorkSource> source_ INFERD_TSA(pt_guarded_by(mutex_));
  InlineGate gate_ GUARDED_BY(mutex_);
  std::vector<std::unique_ptr<InstanceWorker>> workers_;
  std::vector<const base::Turn*> gathering_ GUARDED_BY(mutex_);  // turns at whose end EndTurn comes
  std::vector<InstanceWorker*> idle_ GUARDED_BY(mutex_);         // the one idle for the shortest time last
  int64_t woken_ GUARDED_BY(mutex_) = 0;                         // those that have not looked at what waits yet
  size_t next_warmup_ GUARDED_BY(mutex_) = 0;
  int64_t held_ns_ GUARDED_BY(mutex_) = 0;          // when to look for executions that hold a connections' thread
  int64_t no_thread_ns_ GUARDED_BY(mutex_) = 0;     // since when no thread can be started; 0: it can, or was not needed
  int64_t thread_retry_ns_ GUARDED_BY(mutex_) = 0;  // when that is tried again; 0: never
  int64_t armed_ns_ GUARDED_BY(mutex_) = 0;
  uint64_t deadline_id_ = 0;
  HeldThreads::HolderId holder_id_ = 0;
};

}  // namespace inferd::scheduling

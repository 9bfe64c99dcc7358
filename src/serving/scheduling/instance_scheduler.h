#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "serving/core/scheduler.h"
#include "serving/scheduling/batch/batch_memory.h"
#include "serving/scheduling/batch/execution_context.h"
#include "serving/scheduling/batch/execution_figures.h"
#include "serving/scheduling/entrance.h"
#include "serving/scheduling/instance_pool.h"
#include "serving/scheduling/policy/sharing_limit.h"
#include "serving/scheduling/queue/refusals.h"
#include "serving/scheduling/requests/answer_order.h"
#include "serving/scheduling/requests/shape_padding.h"
#include "serving/scheduling/scheduler_options.h"
#include "serving/scheduling/source/batching_source.h"

namespace inferd::scheduling {

// The scheduler of a version: the Entrance admits requests, the WorkSource decides which of them run next and together,
// the InstancePool on which instance and thread. Thread-safe.
//
// The steps of a request, in order: its priority level with the rules for its timeout; the adaptive limit (Admission),
// where it may replace a less urgent queued one; splitting and padding; the queue of its level. A single request that
// need not wait for others runs at once: on the calling thread if the InlineGate allows it, otherwise on an idle
// instance's thread. A queued request is answered DEADLINE_EXCEEDED "Request timeout expired" when its time is up, and
// CANCELLED soon after it was cancelled, without waiting for its turn. If its level is full, a request gets
// RESOURCE_EXHAUSTED "Exceeds maximum queue size" at once. No completion runs under a lock.
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
  // Every request must have been answered: each holds the version that owns this scheduler.
  ~InstanceScheduler() override;

  void Enqueue(core::QueuedRequest&& queued) override;
  core::SchedulerReport Report() const override;
  std::vector<core::BatchRecord> RecentExecutions() const override;

  // As InstancePool::RunWoken(), for tests.
  bool RunWoken() { return pool_.RunWoken(); }

 private:
  // Admits the request in place of the last less urgent queued one. Returns false if there is none.
  bool TakePlace(core::QueuedRequest& queued, uint64_t level, int64_t retry_after_ms);
  void EnqueuePart(core::QueuedRequest&& queued, uint64_t level);
  struct Refused {
    std::unique_ptr<QueueEntry> entry;  // null if the request was queued
    base::Status status;
    int64_t retry_after_ms = 0;
  };
  // Queues the request. `wakes` is true if an instance may have to be woken for it.
  Refused Push(std::unique_ptr<QueueEntry> entry, bool wakes, DroppedEntries& dropped) REQUIRES(pool_.mutex());
  int64_t DrainedAfterMs(uint64_t level) const REQUIRES(pool_.mutex());

  const base::Clock& clock_;
  SharingLimit sharing_;
  Parts parts_;  // without the instances and the padding, which have moved
  const config::ModelConfig& config_;
  const int64_t instances_;
  const bool preserves_order_;
  Entrance entrance_;
  const Refusals refusals_;
  AnswerOrder order_;  // only used if the order is preserved
  ExecutionFigures figures_ GUARDED_BY(pool_.mutex());
  BatchMemory memory_ GUARDED_BY(pool_.mutex());
  BatchingSource source_ GUARDED_BY(pool_.mutex());
  InstancePool pool_;
};

}  // namespace inferd::scheduling

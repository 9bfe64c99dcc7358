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

// The scheduler of every version: the Entrance says which requests are let in, the WorkSource which of them run next
// and together, the InstancePool on which instance and thread. Thread-safe.
//
// A request meets, in this order: its priority's level and what that says of its timeout, the adaptive limit
// (Admission), where it may take the place of a less urgent one that waits, splitting and padding, the queue of its
// level. A lone request that needs not wait for others runs at once: on the calling thread if the InlineGate lets it,
// else on an idle instance's thread. What waits is answered DEADLINE_EXCEEDED "Request timeout expired" when its time
// is up, CANCELLED soon after it was cancelled, and not when its turn would have come; RESOURCE_EXHAUSTED "Exceeds
// maximum queue size" at once, where its level is full. No completion runs under a lock.
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

  // InstancePool's, for tests.
  bool RunWoken() { return pool_.RunWoken(); }

 private:
  // Of the last of those that wait and are less urgent; false: none is.
  bool TakePlace(core::QueuedRequest& queued, uint64_t level, int64_t retry_after_ms);
  void EnqueuePart(core::QueuedRequest&& queued, uint64_t level);
  struct Refused {
    std::unique_ptr<QueueEntry> entry;  // null: it waits
    base::Status status;
    int64_t retry_after_ms = 0;
  };
  // `wakes`: an instance may be needed for it.
  Refused Push(std::unique_ptr<QueueEntry> entry, bool wakes, DroppedEntries& dropped) REQUIRES(pool_.mutex());
  int64_t DrainedAfterMs(uint64_t level) const REQUIRES(pool_.mutex());

  const base::Clock& clock_;
  SharingLimit sharing_;
  Parts parts_;  // but for the instances and padding, which others have
  const config::ModelConfig& config_;
  const int64_t instances_;
  const bool preserves_order_;
  Entrance entrance_;
  const Refusals refusals_;
  AnswerOrder order_;  // where it is preserved
  ExecutionFigures figures_ GUARDED_BY(pool_.mutex());
  BatchMemory memory_ GUARDED_BY(pool_.mutex());
  BatchingSource source_ GUARDED_BY(pool_.mutex());
  InstancePool pool_;
};

}  // namespace inferd::scheduling

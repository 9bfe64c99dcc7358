#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/mutex.h"
#include "serving/core/scheduler.h"
#include "serving/scheduling/metrics/inference_metrics.h"
#include "serving/scheduling/queue/refusals.h"
#include "serving/scheduling/scheduler_options.h"
#include "serving/scheduling/sequence/sequence_step.h"
#include "serving/scheduling/sequence/sequence_table.h"
#include "serving/scheduling/sequence_lane.h"

namespace inferd::scheduling {

// The scheduler of a version with sequence_batching. The SequenceTable decides which request of which sequence may run,
// and on which instance. Each instance has a scheduler of its own, its lane, which has at most one request of a
// sequence at a time. With strategy "oldest", a lane batches the requests of its sequences dynamically. Thread-safe.
//
// Lanes are called, and responses are sent, without a lock. A response starts the next request of its sequence. If the
// response came while this thread was still in the lane's Enqueue(), the next request starts after Enqueue() has
// returned. So a sequence of any length needs no more stack than one request.
class SequenceScheduler final : public core::Scheduler {
 public:
  struct Parts {
    core::ModelId id;
    std::shared_ptr<const config::ModelConfig> config;
    std::shared_ptr<core::VersionStatistics> statistics;
    std::unique_ptr<VersionMetrics> metrics;
    std::vector<std::unique_ptr<SequenceLane>> lanes;  // at least one
    // The model whose engine keeps state of sequences. Null if such state is never lost.
    std::shared_ptr<const core::EngineModel> memory = nullptr;
    SequenceStep::Rules steps = {};
  };
  SequenceScheduler(Parts parts, const SchedulerOptions& options, const SchedulerServices& services);
  // Every request must have been answered: each holds the version that owns this scheduler.
  ~SequenceScheduler() override;

  void Enqueue(core::QueuedRequest&& queued) override;
  bool HasSequence(const core::Sequence& wanted) const override;
  void EndSequence(const core::Sequence& wanted) override;
  void KeepForSequences(std::shared_ptr<const core::ModelVersion> version, int64_t until_ns) override;
  core::SchedulerReport Report() const override;
  std::vector<core::BatchRecord> RecentExecutions() const override;

  // As InstancePool::RunWoken(), for tests.
  bool RunWoken();

 private:
  // The actions to take once no lock is held.
  using Outcome = SequenceTable::Outcome;
  struct Pending;

  base::Status Check(const core::QueuedRequest& queued) const;
  void WarmUp(core::QueuedRequest&& queued);
  // Reports changes of the table to the statistics and the deadline watch. Returns what the caller must release without
  // the lock.
  using Pin = std::shared_ptr<const core::ModelVersion>;
  [[nodiscard]] Pin Tell() REQUIRES(mutex_);
  void Carry(Outcome outcome);
  void CarryNow(Outcome outcome);
  void Begin(SequenceTable::Start start);
  void BeginStep(SequenceTable::Start start);
  void Answer(SequenceTable::Dropped dropped);
  // Returns true if the engine may have executed the running request without the state of the requests before it.
  bool IsForgotten(SequenceTable::Sequence& sequence) const;
  void OnResponse(SequenceTable::Sequence& sequence, core::Completion& completion, core::InferResponse response);
  void GoOn(SequenceTable::Start next, core::Completion& completion, core::InferResponse response, bool answers);
  // Called by the DeadlineWatch. Returns when to call it again, or 0 for when it is armed again.
  int64_t OnTime();

  const base::Clock& clock_;
  DeadlineWatch& deadlines_;
  const Parts parts_;
  const config::ModelConfig& config_;
  const bool ignores_barred_timeouts_;
  const Refusals refusals_;
  std::atomic<size_t> next_warmup_{0};
  mutable base::Mutex mutex_;
  SequenceTable table_ GUARDED_BY(mutex_);
  size_t pending_ GUARDED_BY(mutex_) = 0;  // as counted in the statistics
  int64_t armed_ns_ GUARDED_BY(mutex_) = 0;
  int64_t leaves_ns_ GUARDED_BY(mutex_) = 0;  // the latest end of a version that leaves; 0 if it serves
  Pin kept_ GUARDED_BY(mutex_);               // the leaving version, while it has sequences
  uint64_t deadline_id_ = 0;
};

}  // namespace inferd::scheduling

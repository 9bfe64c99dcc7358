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

// The scheduler of a version with sequence_batching: the SequenceTable says which request of which sequence may run,
// and on which instance; each instance has a scheduler of its own, its lane, to which no more than one request of a
// sequence is given at a time. Strategy "oldest": a lane batches dynamically what sequences it has. Thread-safe.
//
// A lane is asked, and an answer is sent, without a lock; the next request of a sequence goes on behind the answer of
// the one before. Where that answer has come from a lane that was just being asked on this thread, it goes on when the
// lane has returned: sequences of any length take no more stack than a request.
class SequenceScheduler final : public core::Scheduler {
 public:
  struct Parts {
    core::ModelId id;
    std::shared_ptr<const config::ModelConfig> config;
    std::shared_ptr<core::VersionStatistics> statistics;
    std::unique_ptr<VersionMetrics> metrics;
    std::vector<std::unique_ptr<SequenceLane>> lanes;  // at least one
    // Where the engine keeps what it knows of sequences; null: nothing of that is ever lost.
    std::shared_ptr<const core::EngineModel> memory = nullptr;
    SequenceStep::Rules steps = {};
  };
  SequenceScheduler(Parts parts, const SchedulerOptions& options, const SchedulerServices& services);
  // Every request has been answered: each pins the version that owns this.
  ~SequenceScheduler() override;

  void Enqueue(core::QueuedRequest&& queued) override;
  bool HasSequence(const core::Sequence& wanted) const override;
  void EndSequence(const core::Sequence& wanted) override;
  void KeepForSequences(std::shared_ptr<const core::ModelVersion> version, int64_t until_ns) override;
  core::SchedulerReport Report() const override;
  std::vector<core::BatchRecord> RecentExecutions() const override;

  // InstancePool's, for tests.
  bool RunWoken();

 private:
  // What is to be done once no lock is held.
  using Outcome = SequenceTable::Outcome;
  struct Pending;

  base::Status Check(const core::QueuedRequest& queued) const;
  void WarmUp(core::QueuedRequest&& queued);
  // Says what has become of the table. Returns what is to be let go of without the lock.
  using Pin = std::shared_ptr<const core::ModelVersion>;
  [[nodiscard]] Pin Tell() REQUIRES(mutex_);
  void Carry(Outcome outcome);
  void CarryNow(Outcome outcome);
  void Begin(SequenceTable::Start start);
  void BeginStep(SequenceTable::Start start);
  void Answer(SequenceTable::Dropped dropped);
  // Whether the engine may have answered the request that runs without what came before it.
  bool IsForgotten(SequenceTable::Sequence& sequence) const;
  void OnResponse(SequenceTable::Sequence& sequence, core::Completion& completion, core::InferResponse response);
  void GoOn(SequenceTable::Start next, core::Completion& completion, core::InferResponse response, bool answers);
  // The DeadlineWatch calls it; returns when to be called again, 0: when armed.
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
  size_t pending_ GUARDED_BY(mutex_) = 0;  // as the statistics have it
  int64_t armed_ns_ GUARDED_BY(mutex_) = 0;
  int64_t leaves_ns_ GUARDED_BY(mutex_) = 0;  // the version does by then; 0: it serves
  Pin kept_ GUARDED_BY(mutex_);               // by sequences, where it leaves
  uint64_t deadline_id_ = 0;
};

}  // namespace inferd::scheduling

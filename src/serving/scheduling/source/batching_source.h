#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "serving/scheduling/batch/batch_memory.h"
#include "serving/scheduling/batch/execution_figures.h"
#include "serving/scheduling/policy/batch_policy.h"
#include "serving/scheduling/policy/batch_tuner.h"
#include "serving/scheduling/policy/sharing_limit.h"
#include "serving/scheduling/queue/admission.h"
#include "serving/scheduling/queue/waiting_requests.h"
#include "serving/scheduling/source/work_source.h"

namespace inferd::scheduling {

// Dynamic batching: requests wait by priority (WaitingRequests), and an execution is what DecideBatch() makes of them
// when an instance asks. A model that does not batch is one whose executions have one request each. The rules are the
// configuration's; the BatchTuner sets what that leaves to it, and the SharingLimit bounds them.
class BatchingSource final : public WorkSource {
 public:
  // All but the numbers outlive this.
  struct Parts {
    const config::ModelConfig& config;
    const core::ModelSignature& signature;
    std::span<const std::string> significant;  // EngineModel::significant_parameters()
    core::VersionStatistics& statistics;       // hears how many wait
    const SharingLimit& sharing;
    Admission& admission;             // hears what executions leave behind
    const ExecutionFigures& figures;  // what executions take
    BatchMemory& memory;
    int instances = 1;
    uint32_t queue_size_max = 1024;             // SchedulerOptions'
    int64_t delay_until_queued = 0;             // SchedulerOptions'
    int64_t latency_objective_ns = 10'000'000;  // SchedulerOptions'
  };
  // How soon a cancelled request leaves the queue.
  static constexpr int64_t kCancelSweepNs = 10'000'000;
  // How much later than its time an expired request may leave the queue.
  static constexpr int64_t kExpiryPauseNs = 250'000;

  explicit BatchingSource(const Parts& parts);

  void RecordArrival(const QueueEntry& entry) override;
  std::optional<core::BatchReason> BeginsAtOnce(const QueueEntry& entry) override;
  FormedBatch FormLone(std::unique_ptr<QueueEntry> entry, core::BatchReason reason) override;
  std::unique_ptr<QueueEntry> Push(std::unique_ptr<QueueEntry> entry, int64_t now_ns, DroppedEntries& dropped) override;
  void PushAgain(std::vector<std::unique_ptr<QueueEntry>>& entries) override;
  std::unique_ptr<QueueEntry> TakeLessUrgent(uint64_t level, int64_t now_ns, DroppedEntries& dropped) override;
  void DropAll(int64_t now_ns, DroppedEntries& dropped) override;
  bool Ready(int64_t woken, int64_t now_ns, DroppedEntries& dropped) override;
  // Only what would not grow by waiting for an instance, and only with `eager_batching`.
  void FormAhead(size_t instances, int64_t now_ns, DroppedEntries& dropped) override;
  FormedBatch Take(const InlineGate* gate, int64_t now_ns, DroppedEntries& dropped) override;
  void RecordFinished(const FormedBatch& batch) override;
  int64_t due_ns() const override { return Earlier(sweep_ns_, delay_over_ns_); }
  void OnTime(int64_t now_ns, DroppedEntries& dropped) override;
  bool empty() const override { return waiting_.empty() && ahead_.empty(); }
  size_t size_max(uint64_t level) const override { return waiting_.size_max(level); }
  void Report(core::SchedulerReport& report) const override;

 private:
  BatchDecision Decide(int64_t now_ns, DroppedEntries& dropped);
  FormedBatch TakeBatch(const BatchDecision& decision, const InlineGate* gate, int64_t now_ns, DroppedEntries& dropped);
  FormedBatch Form(core::BatchReason reason);
  bool IsPreferred(int64_t rows) const;
  void Retune(int64_t now_ns);
  void LimitSharing();

  const config::ModelConfig& config_;
  core::VersionStatistics& statistics_;
  const SharingLimit& sharing_;
  Admission& admission_;
  const ExecutionFigures& figures_;
  BatchMemory& memory_;
  const int64_t objective_ns_;  // of batching: AUTO
  BatchRules rules_;
  const bool batching_;  // until sharing_ has stopped
  const int64_t rows_max_;
  WaitingRequests waiting_;
  std::optional<BatchTuner> tuner_;  // of batching: AUTO
  std::string_view tuning_explanation_;
  std::deque<FormedBatch> ahead_;  // eager batching: complete, and before an instance is free
  int64_t running_ = 0;            // requests
  uint64_t arrivals_ = 0;
  int64_t sweep_ns_ = 0;                            // when to look for those that gave up; 0: never
  int64_t delay_over_ns_ = 0;                       // when a batch delay ends; 0: none runs
  std::vector<std::unique_ptr<QueueEntry>> taken_;  // empty in between; keeps its memory
};

}  // namespace inferd::scheduling

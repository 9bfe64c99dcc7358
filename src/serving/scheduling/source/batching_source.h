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

// Dynamic batching: requests wait by priority (WaitingRequests), and DecideBatch() forms an execution when an instance
// asks for one. If a model does not batch, its executions have one request each. The rules come from the configuration.
// The BatchTuner sets those that it leaves open, and the SharingLimit restricts them.
class BatchingSource final : public WorkSource {
 public:
  // All references outlive this object.
  struct Parts {
    const config::ModelConfig& config;
    const core::ModelSignature& signature;
    std::span<const std::string> significant;  // EngineModel::significant_parameters()
    core::VersionStatistics& statistics;       // gets the number of waiting requests
    const SharingLimit& sharing;
    Admission& admission;             // gets the requests that executions leave waiting
    const ExecutionFigures& figures;  // of earlier executions
    BatchMemory& memory;
    int instances = 1;
    uint32_t queue_size_max = 1024;             // SchedulerOptions'
    int64_t delay_until_queued = 0;             // SchedulerOptions'
    int64_t latency_objective_ns = 10'000'000;  // SchedulerOptions'
  };
  // The maximum time until a cancelled request leaves the queue.
  static constexpr int64_t kCancelSweepNs = 10'000'000;
  // The maximum time by which an expired request may leave the queue late.
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
  // Only with `eager_batching`, and only batches that would not grow if they waited for an instance.
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
  const bool batching_;  // constant; ignored once sharing_ has stopped
  const int64_t rows_max_;
  WaitingRequests waiting_;
  std::optional<BatchTuner> tuner_;  // of batching: AUTO
  std::string_view tuning_explanation_;
  std::deque<FormedBatch> ahead_;  // eager batching: complete batches, formed before an instance is free
  int64_t running_ = 0;            // requests
  uint64_t arrivals_ = 0;
  int64_t sweep_ns_ = 0;                            // when to look for requests that gave up; 0 if never
  int64_t delay_over_ns_ = 0;                       // when a batch delay ends; 0 if none runs
  std::vector<std::unique_ptr<QueueEntry>> taken_;  // empty in between; keeps its memory
};

}  // namespace inferd::scheduling

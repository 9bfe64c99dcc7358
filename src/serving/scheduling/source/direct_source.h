#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "config/model/model_config.h"
#include "serving/core/model/model_signature.h"
#include "serving/core/model/version_statistics.h"
#include "serving/scheduling/batch/batch_memory.h"
#include "serving/scheduling/source/work_source.h"

namespace inferd::scheduling {

// Strategy "direct" for sequences, on one instance. Each sequence has a row (QueueEntry::slot), and an execution
// consists of the requests that wait in the rows, each in its place. Rows between them without a request become idle
// members: copies of another row's kind without a sequence, with READY false. At most one request waits per row. The
// instance waits until a share of the rows is ready, or the oldest request has waited long enough. Requests that cannot
// share an execution run one after the other.
class DirectSource final : public WorkSource {
 public:
  // All references outlive this object.
  struct Parts {
    const config::ModelConfig& config;  // with sequence_batching
    const core::ModelSignature& signature;
    std::span<const std::string> significant;  // EngineModel::significant_parameters()
    core::VersionStatistics& statistics;       // gets the number of waiting requests
    BatchMemory& memory;
  };
  // The maximum time until a cancelled request leaves.
  static constexpr int64_t kCancelSweepNs = 10'000'000;

  explicit DirectSource(const Parts& parts);

  // Returns the number of rows of a model with that signature.
  static size_t RowsOf(const core::ModelSignature& signature);

  void RecordArrival(const QueueEntry& /*entry*/) override {}
  std::optional<core::BatchReason> BeginsAtOnce(const QueueEntry& entry) override;
  FormedBatch FormLone(std::unique_ptr<QueueEntry> entry, core::BatchReason reason) override;
  // Always has room: the row is free.
  std::unique_ptr<QueueEntry> Push(std::unique_ptr<QueueEntry> entry, int64_t now_ns, DroppedEntries& dropped) override;
  void PushAgain(std::vector<std::unique_ptr<QueueEntry>>& entries) override;
  std::unique_ptr<QueueEntry> TakeLessUrgent(uint64_t /*level*/, int64_t /*now_ns*/,
                                             DroppedEntries& /*dropped*/) override {
    return nullptr;
  }
  void DropAll(int64_t now_ns, DroppedEntries& dropped) override;
  bool Ready(int64_t woken, int64_t now_ns, DroppedEntries& dropped) override;
  void FormAhead(size_t /*instances*/, int64_t /*now_ns*/, DroppedEntries& /*dropped*/) override {}
  // Ignores `gate`: an execution that is too long for a connections' thread goes to the instance's own thread.
  FormedBatch Take(const InlineGate* gate, int64_t now_ns, DroppedEntries& dropped) override;
  void RecordFinished(const FormedBatch& /*batch*/) override {}
  int64_t due_ns() const override { return Earlier(sweep_ns_, delay_over_ns_); }
  void OnTime(int64_t now_ns, DroppedEntries& dropped) override;
  bool empty() const override { return waiting_ == 0; }
  size_t size_max(uint64_t /*level*/) const override { return rows_.size(); }
  void Report(core::SchedulerReport& report) const override;

 private:
  struct Decision {
    bool begin = false;
    core::BatchReason reason = core::BatchReason::kNoneWaiting;
  };

  Decision Decide(size_t waiting, int64_t oldest_ns, int64_t now_ns);
  QueueEntry* Oldest() const;
  bool Shares(const QueueEntry& first, const QueueEntry& entry) const;
  std::unique_ptr<QueueEntry> TakeOut(size_t row);
  void Drop(size_t row, QueueVerdict verdict, DroppedEntries& dropped);
  // Forms an execution of taken_, in row order, with idle members between.
  FormedBatch Form(core::BatchReason reason);
  std::unique_ptr<QueueEntry> Idle(const QueueEntry& like);

  const config::QueuePolicy policy_;
  const core::ModelSignature& signature_;
  const std::span<const std::string> significant_;
  core::VersionStatistics& statistics_;
  BatchMemory& memory_;
  const int64_t delay_ns_;
  const size_t enough_rows_;                       // this many need not wait for more
  std::vector<std::unique_ptr<QueueEntry>> rows_;  // null if no request waits for the row
  size_t waiting_ = 0;
  uint64_t arrivals_ = 0;
  int64_t sweep_ns_ = 0;
  int64_t delay_over_ns_ = 0;
  std::vector<std::unique_ptr<QueueEntry>> taken_;    // empty in between; keeps its memory
  std::vector<std::unique_ptr<QueueEntry>> members_;  // so does this
};

}  // namespace inferd::scheduling

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

// Strategy "direct" of sequences, on one instance: each sequence has a row (QueueEntry::slot), and an execution is made
// of what waits in the rows, in their places. Rows between that have nothing to do are idle members: copies of another
// row's kind without a sequence, whose READY is false. At most one request waits for a row. Until a share of the rows
// is ready, or the oldest has waited for long enough, an instance waits. Requests that cannot share an execution have
// one after the other.
class DirectSource final : public WorkSource {
 public:
  // All but the numbers outlive this.
  struct Parts {
    const config::ModelConfig& config;  // with sequence_batching
    const core::ModelSignature& signature;
    std::span<const std::string> significant;  // EngineModel::significant_parameters()
    core::VersionStatistics& statistics;       // hears how many wait
    BatchMemory& memory;
  };
  // How soon a cancelled request leaves.
  static constexpr int64_t kCancelSweepNs = 10'000'000;

  explicit DirectSource(const Parts& parts);

  // How many rows a model of that signature has.
  static size_t RowsOf(const core::ModelSignature& signature);

  void RecordArrival(const QueueEntry& /*entry*/) override {}
  std::optional<core::BatchReason> BeginsAtOnce(const QueueEntry& entry) override;
  FormedBatch FormLone(std::unique_ptr<QueueEntry> entry, core::BatchReason reason) override;
  // There is room: its row is free.
  std::unique_ptr<QueueEntry> Push(std::unique_ptr<QueueEntry> entry, int64_t now_ns, DroppedEntries& dropped) override;
  void PushAgain(std::vector<std::unique_ptr<QueueEntry>>& entries) override;
  std::unique_ptr<QueueEntry> TakeLessUrgent(uint64_t /*level*/, int64_t /*now_ns*/,
                                             DroppedEntries& /*dropped*/) override {
    return nullptr;
  }
  void DropAll(int64_t now_ns, DroppedEntries& dropped) override;
  bool Ready(int64_t woken, int64_t now_ns, DroppedEntries& dropped) override;
  void FormAhead(size_t /*instances*/, int64_t /*now_ns*/, DroppedEntries& /*dropped*/) override {}
  // `gate` bounds nothing: what is too much for a connections' thread goes to the instance's.
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
  // Of taken_, in the order of their rows, with idle ones between.
  FormedBatch Form(core::BatchReason reason);
  std::unique_ptr<QueueEntry> Idle(const QueueEntry& like);

  const config::QueuePolicy policy_;
  const core::ModelSignature& signature_;
  const std::span<const std::string> significant_;
  core::VersionStatistics& statistics_;
  BatchMemory& memory_;
  const int64_t delay_ns_;
  const size_t enough_rows_;                       // that need not wait for more
  std::vector<std::unique_ptr<QueueEntry>> rows_;  // null: nothing waits for it
  size_t waiting_ = 0;
  uint64_t arrivals_ = 0;
  int64_t sweep_ns_ = 0;
  int64_t delay_over_ns_ = 0;
  std::vector<std::unique_ptr<QueueEntry>> taken_;    // empty in between; keeps its memory
  std::vector<std::unique_ptr<QueueEntry>> members_;  // so does this
};

}  // namespace inferd::scheduling

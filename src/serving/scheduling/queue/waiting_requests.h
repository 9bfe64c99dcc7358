#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "config/model/model_config.h"
#include "serving/core/model/model_signature.h"
#include "serving/core/model/scheduler_report.h"
#include "serving/scheduling/policy/batch_policy.h"
#include "serving/scheduling/queue/level_queue.h"

namespace inferd::scheduling {

// The level of a request with this priority; 0: the default. INVALID_ARGUMENT: there is no such level. Of a model
// without levels, every request is in the one there is.
base::Result<uint64_t> PriorityLevel(const config::ModelConfig& config, uint64_t priority);

// The queue policy of a level.
const config::QueuePolicy& PolicyOf(const config::ModelConfig& config, uint64_t level);

// All that waits in front of a version's instances: one LevelQueue per priority level, the more urgent first, strictly.
// What is past its timeout and delayed for it comes after everything else, of all levels. An execution is filled with
// what shares the first request's key, less urgent levels included: that costs nobody anything. Not thread-safe.
class WaitingRequests final {
 public:
  // `size_max_default`: of each level, where its policy does not say. `significant`: EngineModel's parameters; outlives
  // this, like the others.
  WaitingRequests(const config::ModelConfig& config, const core::ModelSignature& signature,
                  std::span<const std::string> significant, uint32_t size_max_default);

  // Into entry->level; gives the entry back if that is full.
  std::unique_ptr<QueueEntry> Push(std::unique_ptr<QueueEntry> entry, int64_t now_ns, DroppedEntries& dropped);
  void PushFront(std::unique_ptr<QueueEntry> entry);

  // For DecideBatch.
  WaitingSummary Summarize(int64_t now_ns, int64_t service_ns, DroppedEntries& dropped);
  // WaitingSummary::preferred_rows, behind Summarize; `sizes` ascending, not empty. Looks at no more requests than the
  // largest of them.
  int64_t PreferredRows(std::span<const int64_t> sizes);
  // Takes what the next execution is made of: the first request and those that share it, oldest first, as long as their
  // rows fit into `rows_max`, `requests_max` of them at most (0: any number). The first comes even if it has more rows.
  // True: the rows of the next one that shares did not fit.
  bool Take(int64_t rows_max, int64_t requests_max, int64_t now_ns, std::vector<std::unique_ptr<QueueEntry>>& taken,
            DroppedEntries& dropped);

  // Takes out the request that would run last, if it is less urgent than `level`, and that has room. Null: there is
  // nobody who has not given up.
  std::unique_ptr<QueueEntry> TakeLessUrgent(uint64_t level, int64_t now_ns, DroppedEntries& dropped);

  void Expire(int64_t now_ns, DroppedEntries& dropped);
  // When to Expire next: when the first request expires or is delayed, or `cancel_sweep_ns` from now if one can be
  // cancelled; 0: never. Looks at every entry.
  int64_t NextExpiryNs(int64_t now_ns, int64_t cancel_sweep_ns);

  bool empty() const { return size() == 0; }
  size_t size() const;
  int64_t rows() const;
  size_t size_max(uint64_t level) const { return QueueSizeMax(PolicyOf(config_, level), size_max_default_); }
  std::vector<core::SchedulerReport::Level> Report() const;

 private:
  LevelQueue& QueueOf(uint64_t level);
  // Which of each level's two comes next: LevelQueue::waiting unless all of those are empty.
  EntryFifo& NextOf(LevelQueue& queue) const;
  QueueEntry* First();
  void Settle(int64_t now_ns, DroppedEntries& dropped);

  const config::ModelConfig& config_;
  const core::ModelSignature& signature_;
  const std::span<const std::string> significant_;
  const uint32_t size_max_default_;
  std::map<uint64_t, LevelQueue> levels_;  // those that were asked for
  bool only_delayed_ = false;              // waiting() is empty in all of them, since Settle()
};

}  // namespace inferd::scheduling

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

// Returns the level of a request with this priority, where 0 means the default. INVALID_ARGUMENT if there is no such
// level. In a model without levels, every request has the same one.
base::Result<uint64_t> PriorityLevel(const config::ModelConfig& config, uint64_t priority);

// The queue policy of a level.
const config::QueuePolicy& PolicyOf(const config::ModelConfig& config, uint64_t level);

// The queues of a version: one LevelQueue per priority level, of which the more urgent strictly comes first. Requests
// that are delayed past their timeout come after all others, of all levels. An execution is filled with requests that
// share the first request's key, also from less urgent levels: that costs nobody anything. Not thread-safe.
class WaitingRequests final {
 public:
  // `size_max_default` is the size of each level whose policy does not state one. `significant` is
  // EngineModel::significant_parameters(). All references outlive this object.
  WaitingRequests(const config::ModelConfig& config, const core::ModelSignature& signature,
                  std::span<const std::string> significant, uint32_t size_max_default);

  // Queues the entry in entry->level, or returns it if that level is full.
  std::unique_ptr<QueueEntry> Push(std::unique_ptr<QueueEntry> entry, int64_t now_ns, DroppedEntries& dropped);
  void PushFront(std::unique_ptr<QueueEntry> entry);

  // Summarizes the queue for DecideBatch().
  WaitingSummary Summarize(int64_t now_ns, int64_t service_ns, DroppedEntries& dropped);
  // Returns WaitingSummary::preferred_rows. Call after Summarize(). `sizes` is ascending and not empty. Looks at no
  // more requests than the largest size.
  int64_t PreferredRows(std::span<const int64_t> sizes);
  // Takes the requests of the next execution: the first one and those that share with it, oldest first, while their
  // rows fit into `rows_max`, and `requests_max` of them at most (0 means no limit). Always takes the first, even if it
  // has more rows. Returns true if the rows of the next sharing request did not fit.
  bool Take(int64_t rows_max, int64_t requests_max, int64_t now_ns, std::vector<std::unique_ptr<QueueEntry>>& taken,
            DroppedEntries& dropped);

  // Takes out the request that would run last, if it is less urgent than `level` and that level has room. Null if there
  // is none that anybody still waits for.
  std::unique_ptr<QueueEntry> TakeLessUrgent(uint64_t level, int64_t now_ns, DroppedEntries& dropped);

  void Expire(int64_t now_ns, DroppedEntries& dropped);
  // Returns when to call Expire() next: when the first request expires or is delayed, or `cancel_sweep_ns` from now if
  // a request can be cancelled. 0 if never. Looks at every entry.
  int64_t NextExpiryNs(int64_t now_ns, int64_t cancel_sweep_ns);

  bool empty() const { return size() == 0; }
  size_t size() const;
  int64_t rows() const;
  size_t size_max(uint64_t level) const { return QueueSizeMax(PolicyOf(config_, level), size_max_default_); }
  std::vector<core::SchedulerReport::Level> Report() const;

 private:
  LevelQueue& QueueOf(uint64_t level);
  // Returns the level's queue that is next: LevelQueue::waiting, or `delayed` if `waiting` is empty in all levels.
  EntryFifo& NextOf(LevelQueue& queue) const;
  QueueEntry* First();
  void Settle(int64_t now_ns, DroppedEntries& dropped);

  const config::ModelConfig& config_;
  const core::ModelSignature& signature_;
  const std::span<const std::string> significant_;
  const uint32_t size_max_default_;
  std::map<uint64_t, LevelQueue> levels_;  // created when first used
  bool only_delayed_ = false;              // waiting() was empty in all levels at the last Settle()
};

}  // namespace inferd::scheduling

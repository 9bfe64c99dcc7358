#include "serving/scheduling/queue/waiting_requests.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace inferd::scheduling {

namespace {

// A configuration may have any number of levels. Beyond this many, empty levels are removed.
constexpr size_t kLevelsKept = 64;

}  // namespace

base::Result<uint64_t> PriorityLevel(const config::ModelConfig& config, uint64_t priority) {
  const uint64_t levels = config.dynamic_batching.has_value() ? config.dynamic_batching->priority_levels : 0;
  if (levels == 0) return 1;
  if (priority == 0) return config.dynamic_batching->default_priority_level;
  if (priority <= levels) return priority;
  return std::unexpected(base::InvalidArgument("request priority must be in range [0, " + std::to_string(levels) +
                                               "] for model '" + config.name + "', got " + std::to_string(priority)));
}

const config::QueuePolicy& PolicyOf(const config::ModelConfig& config, uint64_t level) {
  // Triton has this policy in the dynamic batcher.
  if (!config.dynamic_batching.has_value()) return config.queue_policy;
  const auto& policies = config.dynamic_batching->priority_queue_policy;
  const auto it = policies.find(level);
  return it == policies.end() ? config.dynamic_batching->default_queue_policy : it->second;
}

WaitingRequests::WaitingRequests(const config::ModelConfig& config, const core::ModelSignature& signature,
                                 std::span<const std::string> significant, uint32_t size_max_default)
    : config_(config), signature_(signature), significant_(significant), size_max_default_(size_max_default) {
  // Makes the levels now, so that they are reported before any request has waited in them.
  const uint64_t levels = config.dynamic_batching.has_value() ? config.dynamic_batching->priority_levels : 0;
  for (uint64_t level = 1; level <= std::clamp<uint64_t>(levels, 1, kLevelsKept); ++level) QueueOf(level);
}

LevelQueue& WaitingRequests::QueueOf(uint64_t level) {
  const auto it = levels_.find(level);
  if (it != levels_.end()) return it->second;
  if (levels_.size() >= kLevelsKept) std::erase_if(levels_, [](const auto& l) { return l.second.size() == 0; });
  return levels_
      .emplace(std::piecewise_construct, std::forward_as_tuple(level),
               std::forward_as_tuple(PolicyOf(config_, level), size_max_default_))
      .first->second;
}

std::unique_ptr<QueueEntry> WaitingRequests::Push(std::unique_ptr<QueueEntry> entry, int64_t now_ns,
                                                  DroppedEntries& dropped) {
  LevelQueue& queue = QueueOf(entry->level);
  return queue.Push(std::move(entry), now_ns, dropped);
}

void WaitingRequests::PushFront(std::unique_ptr<QueueEntry> entry) {
  LevelQueue& queue = QueueOf(entry->level);
  queue.PushFront(std::move(entry));
}

void WaitingRequests::Settle(int64_t now_ns, DroppedEntries& dropped) {
  only_delayed_ = true;
  for (auto& [level, queue] : levels_) {
    queue.Settle(now_ns, dropped);
    only_delayed_ = only_delayed_ && queue.waiting().empty();
  }
}

EntryFifo& WaitingRequests::NextOf(LevelQueue& queue) const {
  return only_delayed_ ? queue.delayed() : queue.waiting();
}

QueueEntry* WaitingRequests::First() {
  for (auto& [level, queue] : levels_) {
    if (EntryFifo& fifo = NextOf(queue); !fifo.empty()) return &fifo.front();
  }
  return nullptr;
}

WaitingSummary WaitingRequests::Summarize(int64_t now_ns, int64_t service_ns, DroppedEntries& dropped) {
  Settle(now_ns, dropped);
  const QueueEntry* first = First();
  if (first == nullptr) return {};
  WaitingSummary summary{.alone = first->alone, .retry = first->retry};
  summary.oldest_ns = first->queued.queued_ns;
  int64_t requests = 0;  // that can share
  int64_t candidates = 0;
  for (auto& [level, queue] : levels_) {
    EntryFifo& fifo = NextOf(queue);
    summary.requests += static_cast<int64_t>(queue.size());
    candidates += static_cast<int64_t>(fifo.size());
    EntryFifo::Group* group = first->alone ? nullptr : fifo.Find(first->key);
    if (group == nullptr) continue;
    requests += static_cast<int64_t>(group->entries.size());
    summary.rows += group->rows;
    summary.oldest_ns = std::min(summary.oldest_ns, group->entries.front().queued.queued_ns);
    if (group->expires_ns == 0) continue;
    if (group->expires_ns - service_ns <= now_ns) EntryFifo::RefreshExpiry(*group);
    summary.expires_ns = Earlier(summary.expires_ns, group->expires_ns);
  }
  if (first->alone) {
    summary.rows = first->rows();
    requests = 1;
  }
  summary.sharing = requests;
  summary.other_kind = candidates > requests;
  return summary;
}

int64_t WaitingRequests::PreferredRows(std::span<const int64_t> sizes) {
  const QueueEntry* first = First();
  if (first == nullptr || first->alone) return 0;
  int64_t rows = 0;
  int64_t reached = 0;
  for (auto& [level, queue] : levels_) {
    const EntryFifo::Group* const group = NextOf(queue).Find(first->key);
    if (group == nullptr) continue;
    for (const QueueEntry& entry : group->entries) {
      rows += entry.rows();
      if (rows > sizes.back()) return reached;
      if (std::ranges::binary_search(sizes, rows)) reached = rows;
    }
  }
  return reached;
}

bool WaitingRequests::Take(int64_t rows_max, int64_t requests_max, int64_t now_ns,
                           std::vector<std::unique_ptr<QueueEntry>>& taken, DroppedEntries& dropped) {
  Settle(now_ns, dropped);
  const QueueEntry* first = First();
  if (first == nullptr) return false;
  const BatchKey key = first->key;
  const bool alone = first->alone;
  int64_t rows = 0;
  for (auto& [level, queue] : levels_) {
    EntryFifo& fifo = NextOf(queue);
    if (alone) {
      if (fifo.empty()) continue;
      if (auto entry = queue.Take(fifo, fifo.front(), now_ns, dropped)) taken.push_back(std::move(entry));
      return false;
    }
    for (EntryFifo::Group* group = fifo.Find(key); group != nullptr; group = fifo.Find(key)) {
      QueueEntry& next = group->entries.front();
      const int64_t next_rows = next.rows();
      if (!taken.empty() &&
          (next_rows > rows_max - rows || !SharesBatch(taken.front()->queued, next.queued, signature_, significant_))) {
        return true;
      }
      if (auto entry = queue.Take(fifo, next, now_ns, dropped)) {
        rows += next_rows;
        taken.push_back(std::move(entry));
      }
      if (rows >= rows_max || static_cast<int64_t>(taken.size()) == requests_max) return false;
    }
  }
  return false;
}

std::unique_ptr<QueueEntry> WaitingRequests::TakeLessUrgent(uint64_t level, int64_t now_ns, DroppedEntries& dropped) {
  if (QueueOf(level).full()) return nullptr;
  for (auto it = levels_.rbegin(); it != levels_.rend() && it->first > level; ++it) {
    if (auto entry = it->second.TakeLast(now_ns, dropped)) return entry;
  }
  return nullptr;
}

void WaitingRequests::Expire(int64_t now_ns, DroppedEntries& dropped) {
  for (auto& [level, queue] : levels_) queue.Expire(now_ns, dropped);
}

int64_t WaitingRequests::NextExpiryNs(int64_t now_ns, int64_t cancel_sweep_ns) {
  int64_t next_ns = 0;
  for (auto& [level, queue] : levels_) {
    for (EntryFifo* fifo : {&queue.waiting(), &queue.delayed()}) {
      for (const QueueEntry& entry : fifo->entries()) {
        next_ns = Earlier(next_ns, fifo == &queue.waiting() ? LeavesNs(entry) : entry.expires_ns);
        if (entry.queued.request->cancel != nullptr) next_ns = Earlier(next_ns, now_ns + cancel_sweep_ns);
      }
    }
  }
  return next_ns;
}

size_t WaitingRequests::size() const {
  size_t size = 0;
  for (const auto& [level, queue] : levels_) size += queue.size();
  return size;
}

int64_t WaitingRequests::rows() const {
  int64_t rows = 0;
  for (const auto& [level, queue] : levels_) rows += queue.rows();
  return rows;
}

std::vector<core::SchedulerReport::Level> WaitingRequests::Report() const {
  std::vector<core::SchedulerReport::Level> report;
  for (const auto& [level, queue] : levels_) {
    report.push_back({.level = level,
                      .requests = static_cast<int64_t>(queue.size()),
                      .size_max = static_cast<int64_t>(queue.size_max())});
  }
  return report;
}

}  // namespace inferd::scheduling

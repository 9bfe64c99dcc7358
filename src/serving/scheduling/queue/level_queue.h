#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "serving/scheduling/queue/entry_fifo.h"
#include "serving/scheduling/queue/queue_policy.h"

namespace inferd::scheduling {

// Entries that left a queue without having run, with the reason. The caller answers them once it holds no lock.
using DroppedEntries = std::vector<std::pair<std::unique_ptr<QueueEntry>, QueueVerdict>>;

// The bounded queue of one priority level: first come first served, under the level's queue policy. Not thread-safe.
// `now_ns` must never decrease.
class LevelQueue final {
 public:
  LevelQueue(const config::QueuePolicy& policy, uint32_t size_max_default);

  // Queues the entry, or returns it if the queue is full. A full queue first drops requests that nobody waits for.
  std::unique_ptr<QueueEntry> Push(std::unique_ptr<QueueEntry> entry, int64_t now_ns, DroppedEntries& dropped);
  // Puts an entry that was already queued before to the front, even if the queue is full.
  void PushFront(std::unique_ptr<QueueEntry> entry);

  // Return the entries that may run, and those past their timeout with TimeoutAction::kDelay.
  EntryFifo& waiting() { return waiting_; }
  EntryFifo& delayed() { return delayed_; }

  // Drops or delays entries at the front of both queues until each front entry may run.
  void Settle(int64_t now_ns, DroppedEntries& dropped);
  // Takes an entry out of `fifo`, which is waiting() or delayed(). Null if it may not run: it was dropped or delayed.
  std::unique_ptr<QueueEntry> Take(EntryFifo& fifo, QueueEntry& entry, int64_t now_ns, DroppedEntries& dropped);

  // Takes the entry that would run last. Null if there is none. Drops requests that were given up on the way.
  std::unique_ptr<QueueEntry> TakeLast(int64_t now_ns, DroppedEntries& dropped);

  // Drops every request whose time has passed or that was cancelled. Delays those past their timeout with
  // TimeoutAction::kDelay.
  void Expire(int64_t now_ns, DroppedEntries& dropped);

  size_t size() const { return waiting_.size() + delayed_.size(); }
  int64_t rows() const { return waiting_.rows() + delayed_.rows(); }
  size_t size_max() const { return size_max_; }
  bool full() const { return size() >= size_max_; }

 private:
  bool MayRun(const EntryFifo& fifo, QueueVerdict verdict) const;
  QueueVerdict JudgeEntry(const QueueEntry& entry, int64_t now_ns) const;
  void Drop(EntryFifo& fifo, QueueEntry& entry, QueueVerdict verdict, DroppedEntries& dropped);

  const config::QueuePolicy policy_;
  const size_t size_max_;
  EntryFifo waiting_;
  EntryFifo delayed_;
  int64_t swept_ns_ = 0;
};

}  // namespace inferd::scheduling

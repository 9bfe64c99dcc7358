#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "serving/scheduling/queue/entry_fifo.h"
#include "serving/scheduling/queue/queue_policy.h"

namespace inferd::scheduling {

// Entries that left a queue without having run, and why. The caller answers them once no lock is held.
using DroppedEntries = std::vector<std::pair<std::unique_ptr<QueueEntry>, QueueVerdict>>;

// The bounded queue of one priority level: first come first served, under the level's queue policy. Not thread-safe;
// `now_ns` never goes back.
class LevelQueue final {
 public:
  LevelQueue(const config::QueuePolicy& policy, uint32_t size_max_default);

  // Gives the entry back if the queue is full. Requests that nobody waits for any more make room first.
  std::unique_ptr<QueueEntry> Push(std::unique_ptr<QueueEntry> entry, int64_t now_ns, DroppedEntries& dropped);
  // To be run next, whether the queue is full or not: it was in here once.
  void PushFront(std::unique_ptr<QueueEntry> entry);

  // Those that may run, and those past their timeout under TimeoutAction::kDelay.
  EntryFifo& waiting() { return waiting_; }
  EntryFifo& delayed() { return delayed_; }

  // Drops or delays what is at the front of both, until that may run.
  void Settle(int64_t now_ns, DroppedEntries& dropped);
  // Takes an entry of `fifo`, which is waiting() or delayed(), out. Null: it may not run, and was dropped or delayed.
  std::unique_ptr<QueueEntry> Take(EntryFifo& fifo, QueueEntry& entry, int64_t now_ns, DroppedEntries& dropped);

  // The one that would run last; null: there is none. Requests that were given up are dropped on the way.
  std::unique_ptr<QueueEntry> TakeLast(int64_t now_ns, DroppedEntries& dropped);

  // Drops everything whose time has passed, or that was cancelled, and delays what is past its timeout under
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

#include "serving/scheduling/queue/level_queue.h"

namespace inferd::scheduling {

namespace {

// A full queue is searched for abandoned requests at most this often, so that refusing stays cheap under overload.
constexpr int64_t kSweepIntervalNs = 1'000'000;

int64_t ExpiresNs(const config::QueuePolicy& policy, const QueueEntry& entry) {
  const bool rejects = policy.timeout_action == config::TimeoutAction::kReject;
  return Earlier(entry.queued.request->deadline_ns, rejects ? entry.timeout_at_ns : 0);
}

}  // namespace

LevelQueue::LevelQueue(const config::QueuePolicy& policy, uint32_t size_max_default)
    : policy_(policy), size_max_(QueueSizeMax(policy, size_max_default)) {}

QueueVerdict LevelQueue::JudgeEntry(const QueueEntry& entry, int64_t now_ns) const {
  return Judge(policy_, *entry.queued.request, entry.timeout_at_ns, now_ns);
}

bool LevelQueue::MayRun(const EntryFifo& fifo, QueueVerdict verdict) const {
  return verdict == QueueVerdict::kWait || (verdict == QueueVerdict::kDelay && &fifo == &delayed_);
}

std::unique_ptr<QueueEntry> LevelQueue::Push(std::unique_ptr<QueueEntry> entry, int64_t now_ns,
                                             DroppedEntries& dropped) {
  if (full() && now_ns - swept_ns_ >= kSweepIntervalNs) Expire(now_ns, dropped);
  if (full()) return entry;
  const core::QueuedRequest& queued = entry->queued;
  entry->timeout_at_ns = QueueTimeoutAt(policy_, queued.request->timeout_us, queued.queued_ns);
  entry->expires_ns = ExpiresNs(policy_, *entry);
  waiting_.PushBack(std::move(entry));
  return nullptr;
}

void LevelQueue::PushFront(std::unique_ptr<QueueEntry> entry) { waiting_.PushFront(std::move(entry)); }

void LevelQueue::Drop(EntryFifo& fifo, QueueEntry& entry, QueueVerdict verdict, DroppedEntries& dropped) {
  std::unique_ptr<QueueEntry> owned = fifo.Remove(entry);
  if (verdict == QueueVerdict::kDelay) {
    delayed_.PushBack(std::move(owned));
  } else {
    dropped.emplace_back(std::move(owned), verdict);
  }
}

std::unique_ptr<QueueEntry> LevelQueue::Take(EntryFifo& fifo, QueueEntry& entry, int64_t now_ns,
                                             DroppedEntries& dropped) {
  const QueueVerdict verdict = JudgeEntry(entry, now_ns);
  if (MayRun(fifo, verdict)) return fifo.Remove(entry);
  Drop(fifo, entry, verdict, dropped);
  return nullptr;
}

std::unique_ptr<QueueEntry> LevelQueue::TakeLast(int64_t now_ns, DroppedEntries& dropped) {
  while (size() > 0) {
    EntryFifo& fifo = delayed_.empty() ? waiting_ : delayed_;
    QueueEntry& last = fifo.entries().back();
    const QueueVerdict verdict = JudgeEntry(last, now_ns);
    if (verdict == QueueVerdict::kWait || verdict == QueueVerdict::kDelay) return fifo.Remove(last);
    Drop(fifo, last, verdict, dropped);
  }
  return nullptr;
}

void LevelQueue::Settle(int64_t now_ns, DroppedEntries& dropped) {
  for (EntryFifo* fifo : {&waiting_, &delayed_}) {
    while (!fifo->empty()) {
      const QueueVerdict verdict = JudgeEntry(fifo->front(), now_ns);
      if (MayRun(*fifo, verdict)) break;
      Drop(*fifo, fifo->front(), verdict, dropped);
    }
  }
}

void LevelQueue::Expire(int64_t now_ns, DroppedEntries& dropped) {
  swept_ns_ = now_ns;
  for (EntryFifo* fifo : {&waiting_, &delayed_}) {
    for (auto it = fifo->entries().begin(); it != fifo->entries().end();) {
      QueueEntry& entry = *it++;
      const QueueVerdict verdict = JudgeEntry(entry, now_ns);
      if (!MayRun(*fifo, verdict)) Drop(*fifo, entry, verdict, dropped);
    }
  }
}

}  // namespace inferd::scheduling

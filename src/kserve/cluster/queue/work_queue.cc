#include "kserve/cluster/queue/work_queue.h"

#include <algorithm>

namespace inferd::cluster {

namespace {

constexpr int kDoublingsMax = 30;

}  // namespace

void WorkQueue::Add(const Key& key) {
  const base::MutexLock lock(mutex_);
  AddLocked(key);
}

void WorkQueue::AddLocked(const Key& key) {
  Entry& entry = entries_[key];
  if (entry.due_ns != 0) {
    due_.erase({entry.due_ns, key});
    entry.due_ns = 0;
  }
  if (entry.taken) {
    entry.again = true;
  } else if (!entry.ready) {
    entry.ready = true;
    ready_.push_back(key);
    changed_.NotifyOne();
  }
}

void WorkQueue::AddAfter(const Key& key, std::chrono::milliseconds time) {
  const base::MutexLock lock(mutex_);
  Entry& entry = entries_[key];
  if (!entry.ready && !entry.again) DelayLocked(key, entry, time);
}

void WorkQueue::DelayLocked(const Key& key, Entry& entry, std::chrono::nanoseconds time) {
  const int64_t due_ns = clock_.NowNs() + time.count();
  if (entry.due_ns != 0) {
    if (entry.due_ns <= due_ns) return;
    due_.erase({entry.due_ns, key});
  }
  entry.due_ns = due_ns;
  due_.emplace(due_ns, key);
  // A waiting thread may have a later deadline.
  changed_.NotifyOne();
}

void WorkQueue::MoveDue() {
  const int64_t now_ns = clock_.NowNs();
  while (!due_.empty() && due_.begin()->first <= now_ns) {
    const Key key = due_.begin()->second;
    AddLocked(key);
  }
}

std::optional<WorkQueue::Key> WorkQueue::TryTake() {
  const base::MutexLock lock(mutex_);
  return TryTakeLocked();
}

std::optional<WorkQueue::Key> WorkQueue::TryTakeLocked() {
  MoveDue();
  if (paused_ || ready_.empty()) return std::nullopt;
  Key key = std::move(ready_.front());
  ready_.pop_front();
  Entry& entry = entries_[key];
  entry.ready = false;
  entry.taken = true;
  return key;
}

std::optional<WorkQueue::Key> WorkQueue::Take(const std::stop_token& stop) {
  const std::stop_callback wake(stop, [this] {
    const base::MutexLock lock(mutex_);
    changed_.NotifyAll();
  });
  const base::MutexLock lock(mutex_);
  while (!stop.stop_requested()) {
    if (auto key = TryTakeLocked()) return key;
    if (due_.empty() || paused_) {
      changed_.Wait(mutex_);
    } else {
      const int64_t wait_ns = std::max<int64_t>(0, due_.begin()->first - clock_.NowNs());
      changed_.WaitUntil(mutex_, std::chrono::steady_clock::now() + std::chrono::nanoseconds(wait_ns));
    }
  }
  return std::nullopt;
}

void WorkQueue::Done(const Key& key) {
  const base::MutexLock lock(mutex_);
  Entry& entry = entries_[key];
  entry.taken = false;
  entry.failures = 0;
  if (std::exchange(entry.again, false)) {
    AddLocked(key);
  } else {
    EraseIfIdle(key);
  }
}

void WorkQueue::Retry(const Key& key) {
  const base::MutexLock lock(mutex_);
  Entry& entry = entries_[key];
  entry.taken = false;
  const int doublings = std::min(entry.failures++, kDoublingsMax);
  if (std::exchange(entry.again, false)) return AddLocked(key);
  DelayLocked(key, entry, std::min(options_.first_retry * (int64_t{1} << doublings), options_.retry_max));
}

void WorkQueue::EraseIfIdle(const Key& key) {
  const auto found = entries_.find(key);
  const Entry& entry = found->second;
  if (!entry.ready && !entry.taken && entry.due_ns == 0 && entry.failures == 0) entries_.erase(found);
}

void WorkQueue::SetPaused(bool paused) {
  const base::MutexLock lock(mutex_);
  paused_ = paused;
  changed_.NotifyAll();
}

size_t WorkQueue::waiting() const {
  const base::MutexLock lock(mutex_);
  const int64_t now_ns = clock_.NowNs();
  return ready_.size() +
         static_cast<size_t>(std::ranges::count_if(due_, [now_ns](const auto& each) { return each.first <= now_ns; }));
}

size_t WorkQueue::retries() const {
  const base::MutexLock lock(mutex_);
  return static_cast<size_t>(
      std::ranges::count_if(entries_, [](const auto& each) { return each.second.failures > 0; }));
}

}  // namespace inferd::cluster

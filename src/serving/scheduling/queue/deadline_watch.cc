#include "serving/scheduling/queue/deadline_watch.h"

#include <chrono>
#include <vector>

#include "base/thread_pool.h"

namespace inferd::scheduling {

DeadlineWatch::DeadlineWatch(const base::Clock& clock, bool threaded) : clock_(clock) {
  if (threaded) thread_ = std::thread([this] { Run(); });
}

DeadlineWatch::~DeadlineWatch() {
  {
    base::MutexLock lock(mutex_);
    stopping_ = true;
    changed_.NotifyAll();
  }
  if (thread_.joinable()) thread_.join();
}

DeadlineWatch::Id DeadlineWatch::Add(Expire expire) {
  base::MutexLock lock(mutex_);
  const Id id = next_id_++;
  entries_[id].expire = std::move(expire);
  return id;
}

void DeadlineWatch::Remove(Id id) {
  base::MutexLock lock(mutex_);
  auto it = entries_.find(id);
  while (it != entries_.end() && it->second.running) {
    changed_.Wait(mutex_);
    it = entries_.find(id);
  }
  if (it == entries_.end()) return;
  Disarm(id, it->second);
  entries_.erase(it);
}

void DeadlineWatch::Arm(Id id, int64_t at_ns) {
  base::MutexLock lock(mutex_);
  const auto it = entries_.find(id);
  if (it == entries_.end() || (it->second.at_ns != 0 && it->second.at_ns <= at_ns)) return;
  ArmLocked(id, it->second, at_ns);
  if (sleeping_until_ns_ == 0 || at_ns < sleeping_until_ns_) changed_.NotifyAll();
}

void DeadlineWatch::ArmLocked(Id id, Entry& entry, int64_t at_ns) {
  Disarm(id, entry);
  entry.at_ns = at_ns;
  if (entry.spare.empty()) {
    armed_.emplace(at_ns, id);
  } else {
    entry.spare.value() = {at_ns, id};
    armed_.insert(std::move(entry.spare));
  }
}

void DeadlineWatch::Disarm(Id id, Entry& entry) {
  if (entry.at_ns == 0) return;
  entry.spare = armed_.extract({entry.at_ns, id});
  entry.at_ns = 0;
}

void DeadlineWatch::RunDue() {
  const int64_t now_ns = clock_.NowNs();
  base::MutexLock lock(mutex_);
  std::vector<Id> due;
  for (auto it = armed_.begin(); it != armed_.end() && it->first <= now_ns; ++it) due.push_back(it->second);
  for (const Id id : due) {
    const auto it = entries_.find(id);
    if (it == entries_.end() || it->second.running) continue;
    Entry& entry = it->second;  // stays valid: Remove() waits while it runs, and nodes of the map do not move
    Disarm(id, entry);
    entry.running = true;
    lock.unlock();
    const int64_t again_ns = entry.expire();
    lock.lock();
    entry.running = false;
    if (again_ns != 0 && (entry.at_ns == 0 || again_ns < entry.at_ns)) ArmLocked(id, entry, again_ns);
    changed_.NotifyAll();
  }
}

void DeadlineWatch::Run() {
  base::SetThreadName("deadlines");
  base::MutexLock lock(mutex_);
  while (!stopping_) {
    const int64_t next_ns = armed_.empty() ? 0 : armed_.begin()->first;
    const int64_t now_ns = clock_.NowNs();
    if (next_ns != 0 && next_ns <= now_ns) {
      lock.unlock();
      RunDue();
      lock.lock();
      continue;
    }
    sleeping_until_ns_ = next_ns;
    if (next_ns == 0) {
      changed_.Wait(mutex_);
    } else {
      changed_.WaitUntil(mutex_, std::chrono::steady_clock::now() + std::chrono::nanoseconds(next_ns - now_ns));
    }
  }
}

}  // namespace inferd::scheduling

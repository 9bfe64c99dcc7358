#include "net/loop/loop_watch.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/thread_pool.h"

namespace inferd::net {

namespace {
constexpr int kLooks = 20;  // after a loan
}  // namespace

void LoopWatch::Start(std::vector<Subject*> loops) {
  loops_ = std::move(loops);
  thread_ = std::thread([this] { Run(); });
}

void LoopWatch::Stop() {
  if (!thread_.joinable()) return;
  {
    const base::MutexLock lock(mutex_);
    ending_ = true;
    changed_.NotifyAll();
  }
  thread_.join();
}

void LoopWatch::WatchLent() {
  const base::MutexLock lock(mutex_);
  if (std::exchange(lent_, true)) return;
  changed_.NotifyAll();
}

void LoopWatch::Run() {
  base::SetThreadName("loop-watch");
  base::MutexLock lock(mutex_);
  while (!ending_) {
    if (std::exchange(lent_, false)) looks_left_ = kLooks;
    if (looks_left_ == 0) {
      changed_.Wait(mutex_);
      continue;
    }
    changed_.WaitUntil(mutex_, std::chrono::steady_clock::now() + std::chrono::nanoseconds(kLookEveryNs));
    lock.unlock();
    Look();
    lock.lock();
  }
}

// A loop that has reported its loan does not report again until it is told to. A loan at that moment may be missed, so
// that one more look follows.
void LoopWatch::Look() {
  const int64_t now_ns = clock_.NowNs();
  bool lent = false;
  for (Subject* const loop : loops_) lent |= loop->MoveIfHeld(now_ns);
  looks_left_ = lent ? std::max(looks_left_ - 1, 2) : looks_left_ - 1;
  if (looks_left_ != 1) return;
  for (Subject* const loop : loops_) loop->StopWatching();
}

}  // namespace inferd::net

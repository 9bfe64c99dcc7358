#include "engines/onnxruntime/library/cancel_watch.h"

#include <algorithm>
#include <chrono>

namespace inferd::onnxruntime {

namespace {

constexpr std::chrono::milliseconds kLookEvery{10};
constexpr int kIdleLooksMax = 100;  // after a second without a run, the thread sleeps until there is one

}  // namespace

void WatchedRun::Begin(const inferd_batch* batch) {
  base::MutexLock lock(mutex_);
  batch_ = batch;
}

void WatchedRun::End() {
  base::MutexLock lock(mutex_);
  batch_ = nullptr;
  if (!terminated_) return;
  terminated_ = false;
  (void)ToStatus(Ort().RunOptionsUnsetTerminate(options_));
}

CancelWatch::CancelWatch(const inferd_host* host) : host_(host), thread_([this] { Work(); }) {}

CancelWatch::~CancelWatch() {
  {
    base::MutexLock lock(mutex_);
    stopping_ = true;
  }
  changed_.NotifyAll();
  thread_.join();
}

void CancelWatch::Add(WatchedRun* run) {
  base::MutexLock lock(mutex_);
  runs_.push_back(run);
}

void CancelWatch::Remove(WatchedRun* run) {
  base::MutexLock lock(mutex_);
  std::erase(runs_, run);
}

void CancelWatch::WakeUp() {
  {
    base::MutexLock lock(mutex_);
    asleep_.store(false, std::memory_order_relaxed);
  }
  changed_.NotifyAll();
}

void CancelWatch::Work() {
  base::MutexLock lock(mutex_);
  int idle_looks = 0;
  while (!stopping_) {
    idle_looks = LookAtAll() ? 0 : idle_looks + 1;
    if (idle_looks < kIdleLooksMax) {
      changed_.WaitUntil(mutex_, std::chrono::steady_clock::now() + kLookEvery);
      continue;
    }
    asleep_.store(true, std::memory_order_relaxed);
    // One more look finds a run that began before it could see the flag.
    if (LookAtAll()) asleep_.store(false, std::memory_order_relaxed);
    while (!stopping_ && asleep_.load(std::memory_order_relaxed)) changed_.Wait(mutex_);
    idle_looks = 0;
  }
}

bool CancelWatch::LookAtAll() {
  bool running = false;
  for (WatchedRun* run : runs_) running |= LookAt(run);
  return running;
}

bool CancelWatch::LookAt(WatchedRun* run) {
  base::MutexLock lock(run->mutex_);
  if (run->batch_ == nullptr) return false;
  if (run->terminated_) return true;
  for (size_t i = 0; i < run->batch_->request_count; ++i) {
    if (host_->is_cancelled(run->batch_, i) == 0) return true;
  }
  run->terminated_ = true;
  (void)ToStatus(Ort().RunOptionsSetTerminate(run->options_));
  return true;
}

}  // namespace inferd::onnxruntime

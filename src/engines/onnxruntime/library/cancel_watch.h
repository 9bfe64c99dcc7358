#pragma once

#include <atomic>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "engines/onnxruntime/library/ort.h"
#include "inferd/engine_abi.h"

namespace inferd::onnxruntime {

// One instance's current run as the watch sees it. Begin() and End() cost two uncontended locks.
class WatchedRun final {
 public:
  explicit WatchedRun(OrtRunOptions* options) : options_(options) {}

  void Begin(const inferd_batch* batch);
  void End();

 private:
  friend class CancelWatch;

  base::Mutex mutex_;
  OrtRunOptions* const options_;
  const inferd_batch* batch_ GUARDED_BY(mutex_) = nullptr;  // null if not running
  bool terminated_ GUARDED_BY(mutex_) = false;
};

// Ends runs for which nobody waits any more. One thread checks them every few milliseconds, and sleeps while there are
// none. One per process, while it has instances. Thread-safe.
class CancelWatch final {
 public:
  explicit CancelWatch(const inferd_host* host);
  ~CancelWatch();
  CancelWatch(const CancelWatch&) = delete;
  CancelWatch& operator=(const CancelWatch&) = delete;

  void Add(WatchedRun* run);
  void Remove(WatchedRun* run);

  // Call after WatchedRun::Begin(); cheap while the watch is awake.
  void Wake() {
    if (asleep_.load(std::memory_order_relaxed)) WakeUp();
  }

 private:
  void Work();
  bool LookAtAll() REQUIRES(mutex_);  // returns true if any was running
  bool LookAt(WatchedRun* run);
  void WakeUp();

  const inferd_host* host_;
  base::Mutex mutex_;
  base::CondVar changed_;
  std::vector<WatchedRun*> runs_ GUARDED_BY(mutex_);
  bool stopping_ GUARDED_BY(mutex_) = false;
  std::atomic<bool> asleep_{false};
  std::thread thread_;
};

}  // namespace inferd::onnxruntime

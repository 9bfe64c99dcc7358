#pragma once

#include <chrono>
#include <cstddef>

#include "base/mutex.h"

namespace inferd::net {

// How many connections a server has, on all its loops. Thread-safe.
class ConnectionCount final {
 public:
  // False: there are `limit` already, and none was added.
  bool TryAdd(size_t limit) {
    const base::MutexLock lock(mutex_);
    if (count_ >= limit) return false;
    ++count_;
    return true;
  }
  void Remove() {
    const base::MutexLock lock(mutex_);
    if (--count_ == 0) none_.NotifyAll();
  }
  size_t value() const {
    const base::MutexLock lock(mutex_);
    return count_;
  }
  // Whether there is none, at most `timeout` from now.
  bool WaitForNone(std::chrono::milliseconds timeout) {
    const auto deadline = std::chrono::steady_clock::now() + timeout;
    const base::MutexLock lock(mutex_);
    while (count_ > 0) {
      if (none_.WaitUntil(mutex_, deadline) == std::cv_status::timeout) return count_ == 0;
    }
    return true;
  }

 private:
  mutable base::Mutex mutex_;
  base::CondVar none_;
  size_t count_ GUARDED_BY(mutex_) = 0;
};

}  // namespace inferd::net

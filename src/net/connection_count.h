#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "base/mutex.h"

namespace inferd::net {

// The kind that a connection is counted as. Each kind has a limit of its own, so that health checks find room whatever
// other connections exist.
enum class ConnectionKind : uint8_t {
  kServing,    // up to Limits::connections_max
  kApart,      // of listeners with ListenerOptions::apart
  kOverLimit,  // accepted when kServing was full: answers one ListenerOptions::vital request
};

// Counts a server's connections on all its loops. Thread-safe.
class ConnectionCount final {
 public:
  // Adds a connection of that kind. Returns false if there are already `limit`.
  bool TryAdd(ConnectionKind kind, size_t limit) {
    const base::MutexLock lock(mutex_);
    size_t& count = counts_[static_cast<size_t>(kind)];
    if (count >= limit) return false;
    ++count;
    ++total_;
    return true;
  }
  void Remove(ConnectionKind kind) {
    const base::MutexLock lock(mutex_);
    --counts_[static_cast<size_t>(kind)];
    if (--total_ == 0) none_.NotifyAll();
  }
  size_t value() const {
    const base::MutexLock lock(mutex_);
    return total_;
  }
  // Waits, at most `timeout`, until there is no connection. Returns true if there is none.
  bool WaitForNone(std::chrono::milliseconds timeout) {
    const auto deadline = std::chrono::steady_clock::now() + timeout;
    const base::MutexLock lock(mutex_);
    while (total_ > 0) {
      if (none_.WaitUntil(mutex_, deadline) == std::cv_status::timeout) return total_ == 0;
    }
    return true;
  }

 private:
  mutable base::Mutex mutex_;
  base::CondVar none_;
  std::array<size_t, 3> counts_ GUARDED_BY(mutex_){};
  size_t total_ GUARDED_BY(mutex_) = 0;
};

}  // namespace inferd::net

#pragma once

#include <chrono>
#include <cstdint>

#include "base/mutex.h"

namespace inferd::kubernetes {

// A rate limiter, so that a busy program does not crowd others out of the API server. A burst is sent at once; further
// requests wait for their turn, in order. Thread-safe.
class RequestPacer final {
 public:
  // `per_second` must be > 0, `burst` at least 1.
  RequestPacer(double per_second, int burst);

  // Takes a turn, and returns the time until then.
  std::chrono::nanoseconds Take(int64_t now_ns);

 private:
  const int64_t interval_ns_;
  const int64_t ahead_max_ns_;  // maximum time by which a request may precede its regular turn
  base::Mutex mutex_;
  int64_t next_ns_ GUARDED_BY(mutex_) = 0;  // regular turn of the next request
};

}  // namespace inferd::kubernetes

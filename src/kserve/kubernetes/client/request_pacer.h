#pragma once

#include <chrono>
#include <cstdint>

#include "base/mutex.h"

namespace inferd::kubernetes {

// Keeps requests to a rate, so that a program that works off much does not crowd the others out of the API server: a
// burst goes at once, and what follows waits for its turn, in order of asking. Thread-safe.
class RequestPacer final {
 public:
  // `per_second` > 0, `burst` >= 1.
  RequestPacer(double per_second, int burst);

  // Takes a turn, and says how long it is until then.
  std::chrono::nanoseconds Take(int64_t now_ns);

 private:
  const int64_t interval_ns_;
  const int64_t ahead_max_ns_;  // how much earlier than its regular turn a request may go
  base::Mutex mutex_;
  int64_t next_ns_ GUARDED_BY(mutex_) = 0;  // the next request's regular turn
};

}  // namespace inferd::kubernetes

#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/executor.h"

namespace inferd::net {

// One event-loop thread. Connections live and die on one loop. Post() is thread-safe (one MPSC list, one armed wake-up
// per loop); everything else is loop-bound.
class Loop : public base::Executor {
 public:
  using TimerId = uint64_t;  // 0: none

  // Runs `task` on the loop thread, in order of posting. From the loop thread itself: later, not inside the call.
  void Post(base::Task task) override = 0;
  virtual bool InLoopThread() const = 0;
  // Coarse (one wheel per loop, about 10 ms). Loop-bound.
  virtual TimerId RunAfter(std::chrono::milliseconds delay, base::Task task) = 0;
  virtual void CancelTimer(TimerId id) = 0;
  // This loop's position in its group, for per-loop state held elsewhere.
  virtual size_t index() const = 0;
};

}  // namespace inferd::net

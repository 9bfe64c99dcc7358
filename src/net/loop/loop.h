#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/executor.h"

namespace inferd::net {

// One event-loop thread. A connection stays on one loop for its whole life. Post() is thread-safe (one MPSC list, one
// armed wake-up per loop); everything else is loop-bound.
class Loop : public base::Executor {
 public:
  using TimerId = uint64_t;  // 0 if there is no timer

  // Runs `task` on the loop thread, in order of posting. If called on the loop thread, it runs later, not inside the
  // call.
  void Post(base::Task task) override = 0;
  virtual bool InLoopThread() const = 0;
  // Runs `task` after `delay`, with a resolution of about 10 ms (one wheel per loop). Loop-bound.
  virtual TimerId RunAfter(std::chrono::milliseconds delay, base::Task task) = 0;
  virtual void CancelTimer(TimerId id) = 0;
  // Returns this loop's index in its group, for per-loop state that is held elsewhere.
  virtual size_t index() const = 0;
};

}  // namespace inferd::net

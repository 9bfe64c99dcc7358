#pragma once

#include <atomic>
#include <cstdint>

#include "base/logging.h"
#include "core/model_id.h"

namespace inferd::scheduling {

// Connections' threads that executions have for longer than any quick model needs them: a model that was measured to be
// quick, and then hangs, keeps the thread that it runs on, and all of its connections. Nothing can take it away again;
// but the log says which model it is, and until it lets go no execution of any model begins on such a thread, so that
// the next one that hangs does not take the next thread. Thread-safe.
class HeldThreads final {
 public:
  static constexpr int64_t kHeldNs = 1'000'000'000;

  explicit HeldThreads(base::Logger& logger) : logger_(logger) {}

  // When, since it began, to say for the first time or once more that an execution holds a thread: after kHeldNs, and
  // each time that it has taken twice as long. `said_ns`: how long it had taken then; 0: nothing was said.
  static int64_t NextNs(int64_t said_ns) { return said_ns == 0 ? kHeldNs : 2 * said_ns; }

  bool any() const { return held_.load(std::memory_order_relaxed) > 0; }
  void Add() { held_.fetch_add(1, std::memory_order_relaxed); }
  void Remove() { held_.fetch_sub(1, std::memory_order_relaxed); }

  void SayHeld(const core::ModelId& model, int64_t held_ns) const;
  void SayReleased(const core::ModelId& model, int64_t held_ns) const;

 private:
  base::Logger& logger_;
  std::atomic<int> held_{0};
};

}  // namespace inferd::scheduling

#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>

#include "base/logging.h"
#include "base/mutex.h"
#include "serving/core/model/model_id.h"

namespace inferd::scheduling {

// Connections' threads that executions have for longer than any quick model needs them: a model that was measured to be
// quick, and then hangs, keeps the thread that it runs on. An engine that can end an execution does so long before
// (InlineRun). From other engines nothing can take the thread away again, but another thread can take its connections
// (base::Turn), and does so long before, too. The log says which model it is. While a thread is held with its
// connections, since no other one could be started, say, no execution of any model begins on such a thread, so that the
// next one that hangs does not take the next thread. Thread-safe.
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

  // What says which executions run on connections' threads now: "model 'm' version 1 on loop-0", empty: none. Called by
  // Holders(), which RemoveHolder waits for.
  using Holder = std::function<std::string()>;
  using HolderId = uint64_t;
  HolderId AddHolder(Holder holder);
  void RemoveHolder(HolderId id);
  // Of all; for the log, when the server ends without such a thread.
  std::string Holders() const;

  // `moved`: another thread has its connections.
  void SayHeld(const core::ModelId& model, int64_t held_ns, bool moved) const;
  // That an instance has no thread, as the system gives none; its requests are refused. At most every ten seconds.
  void SayNone(const core::ModelId& model);
  void SayReleased(const core::ModelId& model, int64_t held_ns) const;

 private:
  base::Logger& logger_;
  std::atomic<int> held_{0};
  mutable base::Mutex mutex_;
  HolderId next_holder_ GUARDED_BY(mutex_) = 1;
  std::unordered_map<HolderId, Holder> holders_ GUARDED_BY(mutex_);
  std::atomic<int64_t> said_none_ns_{0};
};

}  // namespace inferd::scheduling

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

// Counts connections' threads that executions have held for far longer than a quick model needs. This happens if a
// model was measured to be quick, and then hangs. An engine that can end an execution does so long before (InlineRun).
// With other engines nothing can free the thread, but another thread takes over its connections (base::Turn), also long
// before. The log names the model. While a thread is held together with its connections (because no other thread could
// be started, say), no execution of any model begins on a connections' thread. So the next hanging execution cannot
// take another one. Thread-safe.
class HeldThreads final {
 public:
  static constexpr int64_t kHeldNs = 1'000'000'000;

  explicit HeldThreads(base::Logger& logger) : logger_(logger) {}

  // Returns the age of an execution at which the log must report it next: kHeldNs, and then each time that its age has
  // doubled. `said_ns` is the age in the last report; 0 if there was none.
  static int64_t NextNs(int64_t said_ns) { return said_ns == 0 ? kHeldNs : 2 * said_ns; }

  bool any() const { return held_.load(std::memory_order_relaxed) > 0; }
  void Add() { held_.fetch_add(1, std::memory_order_relaxed); }
  void Remove() { held_.fetch_sub(1, std::memory_order_relaxed); }

  // Describes the executions on connections' threads now: "model 'm' version 1 on loop-0". Empty if there are none.
  // Called by Holders(). RemoveHolder() waits until that call has ended.
  using Holder = std::function<std::string()>;
  using HolderId = uint64_t;
  HolderId AddHolder(Holder holder);
  void RemoveHolder(HolderId id);
  // Returns the descriptions of all holders, for the log when the server ends while such a thread is still held.
  std::string Holders() const;

  // Logs that an execution holds a thread. `moved` is true if another thread has taken over the connections.
  void SayHeld(const core::ModelId& model, int64_t held_ns, bool moved) const;
  // Logs that the system gives no thread for an instance, whose requests are therefore refused. At most every ten
  // seconds.
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

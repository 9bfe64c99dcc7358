#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/mutex.h"

namespace inferd::enginehost {

// What becomes of a pool of pinned memory, for metrics. All of it may lie in memory that two processes share.
struct PinnedUse {
  std::atomic<uint64_t> bytes{0};     // of the pool; 0: it is closed
  std::atomic<uint64_t> used{0};      // of these
  std::atomic<uint64_t> blocks{0};    // that were taken since it began
  std::atomic<uint64_t> refusals{0};  // of blocks for which there was no room

  void Refuse() { refusals.fetch_add(1, std::memory_order_relaxed); }
};

// The pools of all processes that execute models for one server. Thread-safe.
class PinnedUses final {
 public:
  struct Sum {
    uint64_t bytes = 0;
    uint64_t used = 0;
    uint64_t blocks = 0;
    uint64_t refusals = 0;
  };

  // Counts until nothing else refers to it; `blocks` and `refusals` stay counted then.
  void Add(std::shared_ptr<const PinnedUse> use) EXCLUDES(mutex_);
  Sum Total() EXCLUDES(mutex_);

 private:
  base::Mutex mutex_;
  std::vector<std::shared_ptr<const PinnedUse>> uses_ GUARDED_BY(mutex_);
  Sum gone_ GUARDED_BY(mutex_);  // of those that are over: they hold nothing
};

}  // namespace inferd::enginehost

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/mutex.h"

namespace inferd::enginehost {

// Usage of one pool of pinned memory, for metrics. May be in memory that two processes share.
struct PinnedUse {
  std::atomic<uint64_t> bytes{0};     // size of the pool; 0 if closed
  std::atomic<uint64_t> used{0};      // bytes in use
  std::atomic<uint64_t> blocks{0};    // blocks taken since the start
  std::atomic<uint64_t> refusals{0};  // blocks refused for lack of room

  void Refuse() { refusals.fetch_add(1, std::memory_order_relaxed); }
};

// The usage of the pools of all processes that execute models for one server. Thread-safe.
class PinnedUses final {
 public:
  struct Sum {
    uint64_t bytes = 0;
    uint64_t used = 0;
    uint64_t blocks = 0;
    uint64_t refusals = 0;
  };

  // Includes `use` until nothing else refers to it. Its `blocks` and `refusals` stay in the sum after that.
  void Add(std::shared_ptr<const PinnedUse> use) EXCLUDES(mutex_);
  Sum Total() EXCLUDES(mutex_);

 private:
  base::Mutex mutex_;
  std::vector<std::shared_ptr<const PinnedUse>> uses_ GUARDED_BY(mutex_);
  Sum gone_ GUARDED_BY(mutex_);  // of pools that are gone, which hold no memory
};

}  // namespace inferd::enginehost

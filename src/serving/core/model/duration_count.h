#pragma once

#include <atomic>
#include <cstdint>

#include "serving/core/model/catalog.h"

namespace inferd::core {

// An atomic counter behind a DurationStat. Thread-safe: relaxed atomics, so a reader may see one of the two numbers
// updated before the other.
struct DurationCount {
  std::atomic<uint64_t> count{0};
  std::atomic<uint64_t> ns{0};

  // Returns 0 for a negative duration, which a clock that goes back yields.
  static uint64_t NotNegative(int64_t n) { return n > 0 ? static_cast<uint64_t>(n) : 0; }

  void Add(int64_t n, uint64_t times = 1) {
    count.fetch_add(times, std::memory_order_relaxed);
    ns.fetch_add(NotNegative(n), std::memory_order_relaxed);
  }
  DurationStat Read() const {
    return {.count = count.load(std::memory_order_relaxed), .ns = ns.load(std::memory_order_relaxed)};
  }
};

}  // namespace inferd::core

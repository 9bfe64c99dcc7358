#pragma once

#include <atomic>
#include <cstdint>

namespace inferd::net {

// How many bytes of request bodies the whole process may hold. Charged as they arrive, given back when the body's last
// user lets go of it. Thread-safe; made where the server is composed.
class MemoryBudget final {
 public:
  // `bytes_max` 0: a quarter of the machine's (or the control group's) memory.
  explicit MemoryBudget(uint64_t bytes_max);

  // False: it would pass the limit, and nothing was charged.
  bool TryCharge(uint64_t bytes);
  void Release(uint64_t bytes) { used_.fetch_sub(bytes, std::memory_order_relaxed); }

  uint64_t used() const { return used_.load(std::memory_order_relaxed); }
  uint64_t bytes_max() const { return bytes_max_; }

 private:
  const uint64_t bytes_max_;
  std::atomic<uint64_t> used_{0};
};

}  // namespace inferd::net

#pragma once

#include <atomic>
#include <cstdint>

namespace inferd::net {

// The limit on the bytes of request bodies that the whole process may hold. Bytes are charged as they arrive, and
// released when the body's last user drops it. Thread-safe. Created where the server is composed.
class MemoryBudget final {
 public:
  // If `bytes_max` is 0, the limit is a quarter of the machine's (or the control group's) memory.
  explicit MemoryBudget(uint64_t bytes_max);

  // Charges `bytes`. Returns false, and charges nothing, if they would exceed the limit.
  bool TryCharge(uint64_t bytes);
  void Release(uint64_t bytes) { used_.fetch_sub(bytes, std::memory_order_relaxed); }

  uint64_t used() const { return used_.load(std::memory_order_relaxed); }
  uint64_t bytes_max() const { return bytes_max_; }

 private:
  const uint64_t bytes_max_;
  std::atomic<uint64_t> used_{0};
};

}  // namespace inferd::net

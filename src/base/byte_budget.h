#pragma once

#include <atomic>
#include <cstdint>
#include <limits>

namespace inferd::base {

// A limit on the bytes of one kind that the process may hold. A holder charges bytes before it holds them, and later
// releases the same number. Thread-safe.
class ByteBudget final {
 public:
  explicit ByteBudget(uint64_t bytes_max = std::numeric_limits<uint64_t>::max()) : bytes_max_(bytes_max) {}
  ByteBudget(const ByteBudget&) = delete;
  ByteBudget& operator=(const ByteBudget&) = delete;

  // Charges `bytes`. Returns false, and counts a refusal, if they would exceed the limit; nothing is charged then.
  bool TryCharge(uint64_t bytes) {
    const uint64_t before = used_.fetch_add(bytes, std::memory_order_relaxed);
    if (bytes <= bytes_max_ && before <= bytes_max_ - bytes) return true;
    used_.fetch_sub(bytes, std::memory_order_relaxed);
    CountRefusal();
    return false;
  }
  // Charges bytes that exist already. May exceed the limit.
  void Charge(uint64_t bytes) { used_.fetch_add(bytes, std::memory_order_relaxed); }
  void Release(uint64_t bytes) { used_.fetch_sub(bytes, std::memory_order_relaxed); }
  void CountRefusal() { refusals_.fetch_add(1, std::memory_order_relaxed); }

  // True if at least seven eighths of the budget are used.
  bool nearly_used_up() const { return used() >= bytes_max_ - bytes_max_ / 8; }
  uint64_t used() const { return used_.load(std::memory_order_relaxed); }
  uint64_t bytes_max() const { return bytes_max_; }
  uint64_t refusals() const { return refusals_.load(std::memory_order_relaxed); }

 private:
  const uint64_t bytes_max_;
  alignas(64) std::atomic<uint64_t> used_{0};
  std::atomic<uint64_t> refusals_{0};
};

}  // namespace inferd::base

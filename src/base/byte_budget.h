#pragma once

#include <atomic>
#include <cstdint>
#include <limits>

namespace inferd::base {

// How many bytes of one kind the process may hold. A holder charges them before, and releases as many.
// Thread-safe.
class ByteBudget final {
 public:
  explicit ByteBudget(uint64_t bytes_max = std::numeric_limits<uint64_t>::max()) : bytes_max_(bytes_max) {}
  ByteBudget(const ByteBudget&) = delete;
  ByteBudget& operator=(const ByteBudget&) = delete;

  // False: it would pass the limit; nothing was charged, and the refusal is counted.
  bool TryCharge(uint64_t bytes) {
    const uint64_t before = used_.fetch_add(bytes, std::memory_order_relaxed);
    if (bytes <= bytes_max_ && before <= bytes_max_ - bytes) return true;
    used_.fetch_sub(bytes, std::memory_order_relaxed);
    CountRefusal();
    return false;
  }
  // Of bytes that are there already; may pass the limit.
  void Charge(uint64_t bytes) { used_.fetch_add(bytes, std::memory_order_relaxed); }
  void Release(uint64_t bytes) { used_.fetch_sub(bytes, std::memory_order_relaxed); }
  void CountRefusal() { refusals_.fetch_add(1, std::memory_order_relaxed); }

  // Nothing more fits, or hardly anything: seven eighths are used.
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

#pragma once

#include <atomic>
#include <cstdint>

namespace inferd::base {

// A clock. NowNs() is monotonic; WallNs() counts from the Unix epoch. Both are in nanoseconds. Thread-safe.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual int64_t NowNs() const = 0;
  virtual int64_t WallNs() const = 0;
};

class SystemClock final : public Clock {
 public:
  int64_t NowNs() const override;
  int64_t WallNs() const override;
};

// A clock for tests that moves only when it is advanced. Thread-safe.
class FakeClock final : public Clock {
 public:
  explicit FakeClock(int64_t start_ns = 1'000'000'000) : now_ns_(start_ns) {}
  int64_t NowNs() const override { return now_ns_.load(std::memory_order_relaxed); }
  int64_t WallNs() const override { return NowNs(); }
  void AdvanceNs(int64_t ns) { now_ns_.fetch_add(ns, std::memory_order_relaxed); }
  void AdvanceMs(int64_t ms) { AdvanceNs(ms * 1'000'000); }

 private:
  std::atomic<int64_t> now_ns_;
};

}  // namespace inferd::base

#pragma once

#include <atomic>
#include <cstdint>

#include "serving/tracing/trace_settings.h"

namespace inferd::tracing {

// Picks the requests that are traced: one of so many, so many in all. Thread-safe, without a lock; a request that comes
// while settings change may meet some of them and not yet the others.
class Sampler final {
 public:
  explicit Sampler(const TraceSettings& settings) { Set(settings); }

  // Counts anew.
  void Set(const TraceSettings& settings) {
    level_.store(settings.level, kRelaxed);
    rate_.store(settings.rate, kRelaxed);
    seen_.store(0, kRelaxed);
    left_.store(settings.count, kRelaxed);
    log_frequency_.store(settings.log_frequency, kRelaxed);
  }

  // Whether the next request is traced. `anyway`: whatever the rate is.
  bool Take(bool anyway) {
    if (level() == config::TraceLevel::kOff) return false;
    const uint64_t rate = rate_.load(kRelaxed);
    const bool due = rate != 0 && (seen_.fetch_add(1, kRelaxed) + 1) % rate == 0;
    return (due || anyway) && CountDown();
  }

  config::TraceLevel level() const { return level_.load(kRelaxed); }
  uint64_t log_frequency() const { return log_frequency_.load(kRelaxed); }

 private:
  static constexpr auto kRelaxed = std::memory_order_relaxed;

  bool CountDown() {
    int64_t left = left_.load(kRelaxed);
    while (left > 0 && !left_.compare_exchange_weak(left, left - 1, kRelaxed)) {
    }
    return left != 0;
  }

  std::atomic<config::TraceLevel> level_;
  std::atomic<uint64_t> rate_;
  std::atomic<uint64_t> seen_;
  std::atomic<int64_t> left_;  // -1: without limit
  std::atomic<uint64_t> log_frequency_;
};

}  // namespace inferd::tracing

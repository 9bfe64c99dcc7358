#pragma once

#include <atomic>
#include <cstdint>

#include "serving/tracing/trace_settings.h"

namespace inferd::tracing {

// Selects the requests to trace: one of every `rate`, and at most `count` in total. Thread-safe, without a lock; a
// request that arrives while settings change may see some of the new ones and not the others.
class Sampler final {
 public:
  explicit Sampler(const TraceSettings& settings) { Set(settings); }

  // Changes the settings, and restarts the counts.
  void Set(const TraceSettings& settings) {
    level_.store(settings.level, kRelaxed);
    rate_.store(settings.rate, kRelaxed);
    seen_.store(0, kRelaxed);
    left_.store(settings.count, kRelaxed);
    log_frequency_.store(settings.log_frequency, kRelaxed);
  }

  // Decides whether the next request is traced. `anyway` overrides the rate, but not the level or the count.
  bool Take(bool anyway) {
    if (level() == config::TraceLevel::kOff) return false;
    const uint64_t rate = rate_.load(kRelaxed);
    const bool due = rate != 0 && (seen_.fetch_add(1, kRelaxed) + 1) % rate == 0;
    return (due || anyway) && CountDown();
  }

  // Returns true if further requests may be traced.
  bool on() const { return level() != config::TraceLevel::kOff && left() != 0; }
  config::TraceLevel level() const { return level_.load(kRelaxed); }
  // How many requests are yet to be traced; -1: without limit.
  int64_t left() const { return left_.load(kRelaxed); }
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
  std::atomic<int64_t> left_;  // -1 means no limit
  std::atomic<uint64_t> log_frequency_;
};

}  // namespace inferd::tracing

#pragma once

#include <algorithm>
#include <cstdint>

namespace inferd::worker {

// Computes when to restart a process that has ended: the first time at once, then after a pause that doubles each time,
// until a process has run for kSoundNs. A value; not thread-safe.
class BackOff final {
 public:
  static constexpr int64_t kFirstNs = 100'000'000;
  static constexpr int64_t kMostNs = 30'000'000'000;
  static constexpr int64_t kSoundNs = 10'000'000'000;  // a process that ran for so long was healthy

  // Returns the pause after a process that ran for `ran_ns`; 0 if it never ran.
  int64_t NextNs(int64_t ran_ns) {
    if (ran_ns >= kSoundNs) next_ns_ = 0;
    const int64_t pause_ns = next_ns_;
    next_ns_ = std::clamp(2 * pause_ns, kFirstNs, kMostNs);
    return pause_ns;
  }

 private:
  int64_t next_ns_ = 0;
};

}  // namespace inferd::worker

#pragma once

#include <algorithm>
#include <cstdint>

namespace inferd::worker {

// When to start a process again that has ended: the first time at once; from then on after a pause that doubles, until
// one has run for long enough. A value; not thread-safe.
class BackOff final {
 public:
  static constexpr int64_t kFirstNs = 100'000'000;
  static constexpr int64_t kMostNs = 30'000'000'000;
  static constexpr int64_t kSoundNs = 10'000'000'000;  // whatever has run for so long was well

  // How long to wait after one that has run for `ran_ns`; 0: it never ran.
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

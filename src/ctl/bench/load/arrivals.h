#pragma once

#include <cstddef>
#include <cstdint>
#include <random>

namespace inferd::ctl {

// The schedule of an open loop: when calls are due. Each thread of the load has one, with a part of the rate: `share`
// of `shares`. Together they give the whole rate. Deterministic: the same arguments give the same times. Not
// thread-safe.
class Arrivals final {
 public:
  enum class Kind {
    kConstant,  // at equal distances; the shares alternate
    kPoisson,   // independent calls, as from many clients: distances are exponential
  };

  // `per_second` is the rate of all shares together, and must be above 0.
  Arrivals(Kind kind, double per_second, uint64_t seed, size_t share, size_t shares);

  // Returns when the next call is due, in nanoseconds after the start. Never decreases.
  int64_t next_ns() const { return static_cast<int64_t>(next_ns_); }
  void Advance();

 private:
  double Distance();

  Kind kind_;
  double mean_ns_;  // mean distance between two calls of this share
  double first_ns_ = 0;
  uint64_t count_ = 0;
  double next_ns_ = 0;
  std::mt19937_64 random_;
};

}  // namespace inferd::ctl

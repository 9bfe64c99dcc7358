#pragma once

#include <cstddef>
#include <cstdint>
#include <random>

namespace inferd::ctl {

// When the calls of an open loop are due. One per thread of the load: `share` of `shares` has its part of the rate, and
// all of them together make the whole. Nothing but arithmetic: the same arguments give the same times. Not thread-safe.
class Arrivals final {
 public:
  enum class Kind {
    kConstant,  // at equal distances; the shares take turns
    kPoisson,   // independent of each other, as from many clients: distances are exponential
  };

  // `per_second` is of all shares, and above 0.
  Arrivals(Kind kind, double per_second, uint64_t seed, size_t share, size_t shares);

  // How long after the start the next call is due, in nanoseconds; never decreases.
  int64_t next_ns() const { return static_cast<int64_t>(next_ns_); }
  void Advance();

 private:
  double Distance();

  Kind kind_;
  double mean_ns_;  // between two calls of this share
  double first_ns_ = 0;
  uint64_t count_ = 0;
  double next_ns_ = 0;
  std::mt19937_64 random_;
};

}  // namespace inferd::ctl

#include "ctl/bench/load/arrivals.h"

#include <cmath>

namespace inferd::ctl {

Arrivals::Arrivals(Kind kind, double per_second, uint64_t seed, size_t share, size_t shares)
    : kind_(kind), mean_ns_(1e9 * static_cast<double>(shares) / per_second) {
  std::seed_seq words{static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32), static_cast<uint32_t>(share)};
  random_.seed(words);
  first_ns_ = kind == Kind::kConstant ? 1e9 * static_cast<double>(share) / per_second : Distance();
  next_ns_ = first_ns_;
}

void Arrivals::Advance() {
  ++count_;
  // Equal distances are multiplied rather than summed, so that rounding errors do not accumulate.
  next_ns_ = kind_ == Kind::kConstant ? first_ns_ + static_cast<double>(count_) * mean_ns_ : next_ns_ + Distance();
}

// std::exponential_distribution is not used, because its values differ between libraries.
double Arrivals::Distance() {
  const double uniform = static_cast<double>(random_() >> 11) * 0x1p-53;  // in [0, 1)
  return -std::log1p(-uniform) * mean_ns_;
}

}  // namespace inferd::ctl

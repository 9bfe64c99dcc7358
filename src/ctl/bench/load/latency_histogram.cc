#include "ctl/bench/load/latency_histogram.h"

#include <algorithm>
#include <cmath>

namespace inferd::ctl {

void LatencyHistogram::Merge(const LatencyHistogram& other) {
  for (size_t i = 0; i < kBuckets; ++i) buckets_[i] += other.buckets_[i];
  count_ += other.count_;
  sum_ns_ += other.sum_ns_;
  max_ns_ = std::max(max_ns_, other.max_ns_);
}

uint64_t LatencyHistogram::LowOf(size_t index) {
  if (index < (size_t{1} << kSubBits)) return index;
  const size_t shift = (index >> kSubBits) - 1;
  return static_cast<uint64_t>(index - (shift << kSubBits)) << shift;
}

uint64_t LatencyHistogram::PercentileNs(double percent) const {
  if (count_ == 0) return 0;
  const double wanted = std::ceil(static_cast<double>(count_) * std::clamp(percent, 0.0, 100.0) / 100.0);
  const uint64_t rank = std::max<uint64_t>(static_cast<uint64_t>(wanted), 1);
  uint64_t seen = 0;
  for (size_t i = 0; i < kBuckets; ++i) {
    seen += buckets_[i];
    if (seen >= rank) return std::min(LowOf(i + 1) - 1, max_ns_);
  }
  return max_ns_;
}

void LatencyHistogram::ForEach(const std::function<void(uint64_t, uint64_t, uint64_t)>& visit) const {
  for (size_t i = 0; i < kBuckets; ++i) {
    if (buckets_[i] > 0) visit(LowOf(i), LowOf(i + 1) - 1, buckets_[i]);
  }
}

}  // namespace inferd::ctl

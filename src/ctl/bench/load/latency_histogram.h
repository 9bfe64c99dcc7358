#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace inferd::ctl {

// A histogram of latencies from 1 ns to 1 min; longer ones count as 1 min. The width of a bucket is at most 1/64 of its
// value. Fixed size, no allocation. Not thread-safe: use one per thread, then Merge.
class LatencyHistogram {
 public:
  static constexpr uint64_t kMaxNs = 60'000'000'000;

  void Record(uint64_t ns) {
    ns = ns > kMaxNs ? kMaxNs : ns;
    ++buckets_[IndexOf(ns)];
    ++count_;
    sum_ns_ += ns;
    if (ns > max_ns_) max_ns_ = ns;
  }
  void Merge(const LatencyHistogram& other);

  uint64_t count() const { return count_; }
  uint64_t max_ns() const { return max_ns_; }
  uint64_t mean_ns() const { return count_ == 0 ? 0 : sum_ns_ / count_; }
  // Returns the latency that `percent` of all calls did not exceed (50: the median). 0 without calls.
  uint64_t PercentileNs(double percent) const;

  // Visits each non-empty bucket in ascending order, with its bounds and its count.
  void ForEach(const std::function<void(uint64_t low_ns, uint64_t high_ns, uint64_t count)>& visit) const;

 private:
  static constexpr size_t kSubBits = 6;  // 64 buckets per power of two
  static constexpr size_t kBuckets = (64 - kSubBits) << kSubBits;

  // Below 64 ns each value has a bucket. Above, the leading bit and the next six bits select the bucket.
  static size_t IndexOf(uint64_t ns) {
    if (ns < (uint64_t{1} << kSubBits)) return ns;
    const size_t shift = static_cast<size_t>(std::bit_width(ns)) - kSubBits - 1;
    return (shift << kSubBits) + static_cast<size_t>(ns >> shift);
  }
  static uint64_t LowOf(size_t index);

  std::array<uint64_t, kBuckets> buckets_{};
  uint64_t count_ = 0;
  uint64_t sum_ns_ = 0;
  uint64_t max_ns_ = 0;
};

}  // namespace inferd::ctl

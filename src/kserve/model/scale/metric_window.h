#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

namespace inferd::model {

// Time, real or simulated, since an origin that all values share.
using ScaleTime = std::chrono::milliseconds;

// The average of a metric over a sliding window, in buckets of one second (Knative: TimedFloat64Buckets). A second
// without records counts as 0. Seconds before the first record do not count. Not thread-safe.
class MetricWindow {
 public:
  // `length` is rounded up to whole seconds, at least one.
  explicit MetricWindow(ScaleTime length);

  // Adds to the value of `now`'s second. Times must not go back.
  void Record(ScaleTime now, double value);
  double Average(ScaleTime now) const;
  // Returns true if the whole window has no record.
  bool IsEmpty(ScaleTime now) const;

 private:
  int64_t SecondsOf() const { return static_cast<int64_t>(buckets_.size()); }

  std::vector<double> buckets_;
  int64_t first_s_ = -1;  // -1 if nothing was recorded
  int64_t last_s_ = -1;
};

// The largest value recorded within a sliding window. Not thread-safe.
class MaximumWindow {
 public:
  explicit MaximumWindow(ScaleTime length) : length_(length) {}

  void Record(ScaleTime now, int64_t value);
  // Returns 0 if the window has no value.
  int64_t Maximum(ScaleTime now) const;

 private:
  struct Entry {
    ScaleTime time;
    int64_t value;
  };
  const ScaleTime length_;
  std::vector<Entry> entries_;  // times ascend, values descend
};

}  // namespace inferd::model

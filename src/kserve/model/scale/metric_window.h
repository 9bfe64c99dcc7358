#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

namespace inferd::model {

// Simulated or real time, from any origin that is the same for all values.
using ScaleTime = std::chrono::milliseconds;

// The average of a metric over the last while, in buckets of one second (Knative: TimedFloat64Buckets). Seconds in
// which nothing was recorded count as 0, but not those before the first record. Not thread-safe.
class MetricWindow {
 public:
  // `length`: at least a second, in whole ones.
  explicit MetricWindow(ScaleTime length);

  // Adds to the value of `now`'s second, which is not before the last one.
  void Record(ScaleTime now, double value);
  double Average(ScaleTime now) const;
  // Nothing was recorded for the whole window.
  bool IsEmpty(ScaleTime now) const;

 private:
  int64_t SecondsOf() const { return static_cast<int64_t>(buckets_.size()); }

  std::vector<double> buckets_;
  int64_t first_s_ = -1;  // -1: nothing was recorded
  int64_t last_s_ = -1;
};

// The largest of what was recorded within the last while. Not thread-safe.
class MaximumWindow {
 public:
  explicit MaximumWindow(ScaleTime length) : length_(length) {}

  void Record(ScaleTime now, int64_t value);
  // 0 if there is nothing.
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

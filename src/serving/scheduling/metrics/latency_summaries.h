#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/metrics/registry.h"
#include "serving/core/model/version_statistics.h"

namespace inferd::scheduling {

// Quantiles of the latest values, and the sum and count of all. Thread-safe: an observation costs three relaxed atomic
// operations, and a reader may see one value more or less than the count says.
class RecentValues final {
 public:
  static constexpr size_t kValuesKept = 1024;

  void Observe(double value) {
    const uint64_t place = count_.fetch_add(1, std::memory_order_relaxed);
    values_[place % kValuesKept].store(value, std::memory_order_relaxed);
    sum_.fetch_add(value, std::memory_order_relaxed);
  }

  uint64_t count() const { return count_.load(std::memory_order_relaxed); }
  double sum() const { return sum_.load(std::memory_order_relaxed); }
  // Returns NaN if there are no values.
  double Quantile(double quantile) const;

 private:
  std::atomic<uint64_t> count_{0};
  std::atomic<double> sum_{0};
  std::array<std::atomic<double>, kValuesKept> values_{};
};

// Triton's nv_inference_*_summary_us of one version: the time of its requests, in total and per phase. The page shows
// quantiles as gauges, and sums and counts as counters. Thread-safe.
class LatencySummaries final {
 public:
  // The registry removes these series together with the version's others.
  static std::shared_ptr<LatencySummaries> Add(metrics::Registry& registry, const metrics::Labels& labels,
                                               const std::vector<double>& quantiles);

  // Adds Triton's nv_cache_hit_summary_per_model and nv_cache_miss_summary_per_model, for a version with a response
  // cache.
  static void AddCache(const std::shared_ptr<LatencySummaries>& summaries, metrics::Registry& registry,
                       const metrics::Labels& labels, const std::vector<double>& quantiles);

  // Removes nv_inference_request_summary_us from the page.
  static void RemoveRequests(metrics::Registry& registry, const metrics::Labels& labels,
                             const std::vector<double>& quantiles);

  void ObserveRequest(int64_t total_ns, int64_t queue_ns);
  // Records the phases for each of the `requests` that shared an execution.
  void ObserveExecution(const core::PhaseTimes& phases, int64_t requests);
  void ObserveCacheHit(int64_t ns) { Observe(kCacheHit, ns); }
  void ObserveCacheMiss(int64_t ns) { Observe(kCacheMiss, ns); }

 private:
  enum Phase : size_t { kRequest, kQueue, kInput, kInfer, kOutput, kCacheHit, kCacheMiss, kPhases };

  // Adds the phases from `first` up to, but not including, `end`.
  static void AddPhases(const std::shared_ptr<LatencySummaries>& summaries, metrics::Registry& registry,
                        const metrics::Labels& labels, const std::vector<double>& quantiles, size_t first, size_t end);

  void Observe(Phase phase, int64_t ns) { phases_[phase].Observe(static_cast<double>(ns) * 1e-3); }

  std::array<RecentValues, kPhases> phases_;
};

}  // namespace inferd::scheduling

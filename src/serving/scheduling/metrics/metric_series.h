#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "serving/scheduling/metrics/inference_metrics.h"
#include "serving/scheduling/metrics/latency_summaries.h"

// Internal to inference_metrics.h: the data behind one version's series.

namespace inferd::scheduling {

// The values that are read from the statistics. Durations in nanoseconds.
enum MetricValue : size_t {
  kSuccess,
  kRejected,
  kCanceled,
  kBackend,
  kOther,
  kInferences,
  kExecutions,
  kRequestNs,
  kQueueNs,
  kInputNs,
  kInferNs,
  kOutputNs,
  kInline,
  kInputCopies,
  kCacheHits,
  kCacheMisses,
  kCacheHitNs,
  kCacheMissNs,
  kValues
};
using MetricValues = std::array<uint64_t, kValues>;

MetricValues ReadValues(const core::VersionStatistics& statistics);

// Thread-safe.
struct VersionMetrics::Series {
  struct Load {
    std::shared_ptr<const core::VersionStatistics> statistics;
    std::map<const VersionMetrics*, VersionMetrics::Report> reports;  // by scheduler; null if there is nothing to read
  };

  // Made at the first failure for this reason.
  struct Failures {
    std::once_flag made;
    std::shared_ptr<metrics::Histogram> seconds;
  };

  metrics::Labels labels;
  std::array<Failures, core::kFailureReasons> failures;
  std::shared_ptr<metrics::Counter> padding_rows;
  std::shared_ptr<LatencySummaries> summaries;  // null if they are turned off
  std::once_flag cache_made;                    // by the first load with a response cache

  mutable base::Mutex mutex;
  std::vector<Load> loads GUARDED_BY(mutex);
  // The sums over former loads.
  MetricValues ended GUARDED_BY(mutex){};
  core::SchedulerReport ended_report GUARDED_BY(mutex);

  uint64_t Read(MetricValue value) const;
  int64_t Pending() const;
  // Returns the report over all loads: queue lengths and counts as sums, and the adaptive limit of the latest load.
  core::SchedulerReport Scheduling() const;
};

}  // namespace inferd::scheduling

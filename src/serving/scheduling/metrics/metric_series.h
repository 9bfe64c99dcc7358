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

// Behind inference_metrics.h: what one version's series are read from.

namespace inferd::scheduling {

// What is read from the statistics. Durations in nanoseconds.
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
    std::map<const VersionMetrics*, VersionMetrics::Report> reports;  // by scheduler; null: nothing to be read
  };

  // Made when a request fails so for the first time.
  struct Failures {
    std::once_flag made;
    std::shared_ptr<metrics::Histogram> seconds;
  };

  metrics::Labels labels;
  std::array<Failures, core::kFailureReasons> failures;
  std::shared_ptr<metrics::Counter> padding_rows;
  std::shared_ptr<LatencySummaries> summaries;  // null: none are asked for
  std::once_flag cache_made;                    // for the first load whose responses are kept

  mutable base::Mutex mutex;
  std::vector<Load> loads GUARDED_BY(mutex);
  // The sums over loads that are gone.
  MetricValues ended GUARDED_BY(mutex){};
  core::SchedulerReport ended_report GUARDED_BY(mutex);

  uint64_t Read(MetricValue value) const;
  int64_t Pending() const;
  // All loads together: what waits, what was counted, and the adaptive limit of the latest.
  core::SchedulerReport Scheduling() const;
};

}  // namespace inferd::scheduling

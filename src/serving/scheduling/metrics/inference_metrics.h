#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/metrics/registry.h"
#include "base/mutex.h"
#include "config/model/document_fields.h"
#include "serving/core/model/model_id.h"
#include "serving/core/model/scheduler_report.h"
#include "serving/core/model/version_statistics.h"

namespace inferd::scheduling {

class BatchingSessionMetrics;
class InferenceMetrics;
class LatencySummaries;

// One load's part in its version's metric series: kept by the load's scheduler while it lives. Of a load with several
// schedulers, over the same statistics, each has one. Thread-safe.
class VersionMetrics final {
 public:
  ~VersionMetrics();
  // A request that was answered OK.
  void ObserveRequest(int64_t total_ns) { request_seconds_->Observe(static_cast<double>(total_ns) * 1e-9); }
  // An execution that answered a request OK: rows of requests, and such as filled it up.
  void ObserveExecution(int64_t rows, int64_t padding = 0) {
    batch_size_->Observe(static_cast<double>(rows));
    if (padding > 0) padding_rows_->Add(static_cast<uint64_t>(padding));
  }

  // Responses of a stream, where the version has series for them (AddResponses): the first of a request, since that was
  // accepted, and each other, since the one before.
  void ObserveFirstResponse(int64_t ns) {
    if (first_response_seconds_ == nullptr) return;
    first_response_seconds_->Observe(static_cast<double>(ns) * 1e-9);
    first_response_ms_->Observe(static_cast<double>(ns) * 1e-6);
  }
  void ObserveNextResponse(int64_t ns) {
    if (next_response_seconds_ != nullptr) next_response_seconds_->Observe(static_cast<double>(ns) * 1e-9);
  }
  // Before it serves: its requests may have any number of responses.
  void AddResponses();

  // Before it serves: its responses are kept.
  void AddCache();

  // Of the requests' phases; null: nobody asks for them.
  LatencySummaries* summaries() const { return summaries_; }

  // Where models that batch count besides; null: nowhere.
  BatchingSessionMetrics* batching_session() const { return batching_session_; }

  // Where the page reads how the load is scheduled: what waits, executions by reason, the adaptive limit. `report` is
  // called on any thread, under locks that none of its own may be held for; never again after StopReporting(), which is
  // to be called before what `report` needs is gone.
  using Report = std::function<core::SchedulerReport()>;
  void ReportFrom(Report report);
  void StopReporting();

 private:
  friend class InferenceMetrics;
  struct Series;
  VersionMetrics() = default;

  InferenceMetrics* owner_ = nullptr;
  BatchingSessionMetrics* batching_session_ = nullptr;
  LatencySummaries* summaries_ = nullptr;  // the series'
  std::shared_ptr<Series> series_;
  std::shared_ptr<const core::VersionStatistics> statistics_;
  std::shared_ptr<metrics::Histogram> request_seconds_;
  std::shared_ptr<metrics::Histogram> batch_size_;
  std::shared_ptr<metrics::Counter> padding_rows_;
  config::HistogramBuckets buckets_;                            // of AddResponses
  std::shared_ptr<metrics::Histogram> first_response_seconds_;  // null: each request has one response
  std::shared_ptr<metrics::Histogram> first_response_ms_;
  std::shared_ptr<metrics::Histogram> next_response_seconds_;
};

// The nv_inference_* series of every version that is loaded, and ours beside them: histograms of latency by
// outcome and of batch sizes, executions on the receiving thread, and by reason, what waits. They are read from the
// versions' statistics when the page is written, so that they cost a request nothing. A reload of a version goes on
// counting where the old load stopped; the series vanish when the last load of the version is gone. Thread-safe;
// outlives every VersionMetrics.
class InferenceMetrics final {
 public:
  // What there is of a version, beyond what there always is.
  struct Choice {
    bool latency_counters = true;                // nv_inference_*_duration_us
    std::vector<double> summary_quantiles = {};  // of nv_inference_*_summary_us; empty: there are none
  };

  // `batching_session`: TensorFlow Serving's series about batches are there as well. It outlives this.
  explicit InferenceMetrics(metrics::Registry& registry, BatchingSessionMetrics* batching_session = nullptr)
      : InferenceMetrics(registry, batching_session, Choice()) {}
  InferenceMetrics(metrics::Registry& registry, BatchingSessionMetrics* batching_session, Choice choice)
      : registry_(registry), batching_session_(batching_session), choice_(std::move(choice)) {}

  // `tags` are ModelConfig's metric_tags: further labels, each with a `_` in front. `buckets`: a family that is not
  // there has its own; a load with others than the one before it begins its histograms anew.
  std::unique_ptr<VersionMetrics> Add(const core::ModelId& id, const std::map<std::string, std::string>& tags,
                                      std::shared_ptr<core::VersionStatistics> statistics,
                                      config::HistogramBuckets buckets = {});

 private:
  friend class VersionMetrics;
  void Register(const std::shared_ptr<VersionMetrics::Series>& series);
  core::VersionStatistics::FailureObserver FailuresInto(std::shared_ptr<VersionMetrics::Series> series,
                                                        const config::HistogramBuckets& buckets);
  void RegisterCache(const std::shared_ptr<VersionMetrics::Series>& series);
  void RegisterSharing(const std::shared_ptr<VersionMetrics::Series>& series);
  void RegisterSequences(const std::shared_ptr<VersionMetrics::Series>& series);
  void RegisterScheduling(const std::shared_ptr<VersionMetrics::Series>& series, const core::SchedulerReport& report);
  void Release(VersionMetrics& metrics);

  metrics::Registry& registry_;
  BatchingSessionMetrics* const batching_session_;
  const Choice choice_;
  base::Mutex mutex_;
  std::map<metrics::Labels, std::shared_ptr<VersionMetrics::Series>> series_ GUARDED_BY(mutex_);
};

}  // namespace inferd::scheduling

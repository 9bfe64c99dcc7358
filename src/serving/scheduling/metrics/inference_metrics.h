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

// The part of one load in its version's metric series. The load's scheduler owns it. If a load has several schedulers
// over the same statistics, each has one. Thread-safe.
class VersionMetrics final {
 public:
  ~VersionMetrics();
  // Records a request that was answered OK.
  void ObserveRequest(int64_t total_ns) { request_seconds_->Observe(static_cast<double>(total_ns) * 1e-9); }
  // Records an execution that answered a request OK: its rows from requests, and its padding rows.
  void ObserveExecution(int64_t rows, int64_t padding = 0) {
    batch_size_->Observe(static_cast<double>(rows));
    if (padding > 0) padding_rows_->Add(static_cast<uint64_t>(padding));
  }

  // Record the responses of a stream, if the version has series for them (AddResponses). The first one's time starts
  // when the request was accepted, every other one's at the previous response.
  void ObserveFirstResponse(int64_t ns) {
    if (first_response_seconds_ == nullptr) return;
    first_response_seconds_->Observe(static_cast<double>(ns) * 1e-9);
    first_response_ms_->Observe(static_cast<double>(ns) * 1e-6);
  }
  void ObserveNextResponse(int64_t ns) {
    if (next_response_seconds_ != nullptr) next_response_seconds_->Observe(static_cast<double>(ns) * 1e-9);
  }
  // Adds series for versions whose requests may have any number of responses. Call before the version serves.
  void AddResponses();

  // Adds series for versions with a response cache. Call before the version serves.
  void AddCache();

  // Returns the summaries of the requests' phases. Null if they are turned off.
  LatencySummaries* summaries() const { return summaries_; }

  // Returns the further metrics of models that batch. Null if there are none.
  BatchingSessionMetrics* batching_session() const { return batching_session_; }

  // Registers `report`, from which the metrics page reads queue lengths, executions by reason and the adaptive limit.
  // It is called on any thread, with internal locks held: never call this class while holding a lock that `report`
  // takes. It is not called after StopReporting(). Call that before anything that `report` uses is destroyed.
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
  config::HistogramBuckets buckets_;                            // for AddResponses
  std::shared_ptr<metrics::Histogram> first_response_seconds_;  // null if each request has one response
  std::shared_ptr<metrics::Histogram> first_response_ms_;
  std::shared_ptr<metrics::Histogram> next_response_seconds_;
};

// The nv_inference_* series of every loaded version, and inferd's own besides: histograms of latency by outcome and of
// batch sizes, executions on the receiving thread and by reason, queue lengths. The page reads them from the versions'
// statistics when it is written, so they cost a request nothing. A reloaded version continues the counts of the old
// load. The series vanish with the last load of the version. Thread-safe; outlives every VersionMetrics.
class InferenceMetrics final {
 public:
  // The optional series of a version.
  struct Choice {
    bool latency_counters = true;                // nv_inference_*_duration_us
    std::vector<double> summary_quantiles = {};  // of nv_inference_*_summary_us; empty if there are none
    // False: versions with a response cache have no nv_inference_request_summary_us, as in Triton.
    bool summarizes_cached_requests = true;
  };

  // `batching_session` adds TensorFlow Serving's series about batches. It outlives this object. May be null.
  explicit InferenceMetrics(metrics::Registry& registry, BatchingSessionMetrics* batching_session = nullptr)
      : InferenceMetrics(registry, batching_session, Choice()) {}
  InferenceMetrics(metrics::Registry& registry, BatchingSessionMetrics* batching_session, Choice choice)
      : registry_(registry), batching_session_(batching_session), choice_(std::move(choice)) {}

  // Adds a load. `tags` are ModelConfig's metric_tags: further labels, each with a `_` in front. `buckets` overrides
  // the default bounds of the families in it. If they differ from those of the previous load, the histograms start
  // anew.
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

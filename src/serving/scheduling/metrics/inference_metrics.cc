#include "serving/scheduling/metrics/inference_metrics.h"

#include <algorithm>
#include <utility>

#include "serving/scheduling/metrics/metric_series.h"

namespace inferd::scheduling {

namespace {

struct FamilyRow {
  MetricValue value;
  const char* name;
  const char* help;
  const char* reason = nullptr;  // the label `reason`
  double unit = 1;               // the factor for one
};

constexpr double kMicrosecondsPerNs = 1e-3;
constexpr FamilyRow kFamilies[] = {
    {kSuccess, "nv_inference_request_success", "Number of successful inference requests, all batch sizes"},
    {kRejected, "nv_inference_request_failure", "Number of failed inference requests, all batch sizes", "REJECTED"},
    {kCanceled, "nv_inference_request_failure", "Number of failed inference requests, all batch sizes", "CANCELED"},
    {kBackend, "nv_inference_request_failure", "Number of failed inference requests, all batch sizes", "BACKEND"},
    {kOther, "nv_inference_request_failure", "Number of failed inference requests, all batch sizes", "OTHER"},
    {kInferences, "nv_inference_count", "Number of inferences performed (does not include cached requests)"},
    {kExecutions, "nv_inference_exec_count", "Number of model executions performed (does not include cached requests)"},
    {kRequestNs, "nv_inference_request_duration_us", "Cumulative inference request duration in microseconds", nullptr,
     kMicrosecondsPerNs},
    {kQueueNs, "nv_inference_queue_duration_us", "Cumulative inference queuing duration in microseconds", nullptr,
     kMicrosecondsPerNs},
    {kInputNs, "nv_inference_compute_input_duration_us", "Cumulative compute input duration in microseconds", nullptr,
     kMicrosecondsPerNs},
    {kInferNs, "nv_inference_compute_infer_duration_us", "Cumulative compute inference duration in microseconds",
     nullptr, kMicrosecondsPerNs},
    {kOutputNs, "nv_inference_compute_output_duration_us", "Cumulative compute output duration in microseconds",
     nullptr, kMicrosecondsPerNs},
    {kInline, "inferd_inline_executions_total", "Executions on the thread that received the request"},
    {kInputCopies, "inferd_input_copies_total",
     "Input tensors copied because their memory was not aligned, or not in one piece, for the engine"},
};

// Only of models with a response cache.
constexpr FamilyRow kCacheFamilies[] = {
    {kCacheHits, "nv_cache_num_hits_per_model", "Number of cache hits per model"},
    {kCacheMisses, "nv_cache_num_misses_per_model", "Number of cache misses per model"},
    {kCacheHitNs, "nv_cache_hit_duration_per_model", "Total cache hit duration per model, in microseconds", nullptr,
     kMicrosecondsPerNs},
    {kCacheMissNs, "nv_cache_miss_duration_per_model", "Total cache miss duration per model, in microseconds", nullptr,
     kMicrosecondsPerNs},
};

// Indexed by core::FailureReason.
constexpr std::array<const char*, core::kFailureReasons> kReasons = {"REJECTED", "CANCELED", "BACKEND", "OTHER"};

constexpr double kFirstResponseBoundsMs[] = {100, 500, 2000, 5000};  // Triton's
constexpr double kBatchBounds[] = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024};

std::vector<double> BoundsOf(const config::HistogramBuckets& buckets, std::string_view family,
                             std::span<const double> otherwise) {
  const auto found = buckets.find(family);
  return found == buckets.end() ? std::vector<double>(otherwise.begin(), otherwise.end()) : found->second;
}

// Adds the histogram of a version's requests with this outcome.
std::shared_ptr<metrics::Histogram> AddRequestSeconds(metrics::Registry& registry, metrics::Labels labels,
                                                      const char* outcome, std::span<const double> bounds) {
  labels.emplace_back("outcome", outcome);
  return registry.AddHistogram(config::kRequestSecondsFamily, "Time from acceptance to answer, by outcome",
                               std::move(labels), bounds);
}

}  // namespace

MetricValues ReadValues(const core::VersionStatistics& statistics) {
  const core::ModelStatistics totals = statistics.ReadTotals();
  MetricValues values{};
  values[kSuccess] = totals.success.count;
  values[kRejected] = statistics.failures(core::FailureReason::kRejected);
  values[kCanceled] = statistics.failures(core::FailureReason::kCanceled);
  values[kBackend] = statistics.failures(core::FailureReason::kBackend);
  values[kOther] = statistics.failures(core::FailureReason::kOther);
  values[kInferences] = totals.inference_count;
  values[kExecutions] = totals.execution_count;
  values[kRequestNs] = totals.success.ns;
  values[kQueueNs] = totals.queue.ns;
  values[kInputNs] = totals.compute_input.ns;
  values[kInferNs] = totals.compute_infer.ns;
  values[kOutputNs] = totals.compute_output.ns;
  values[kInline] = statistics.inline_executions();
  values[kInputCopies] = statistics.input_copies();
  values[kCacheHits] = totals.cache_hit.count;
  values[kCacheMisses] = totals.cache_miss.count;
  values[kCacheHitNs] = totals.cache_hit.ns;
  values[kCacheMissNs] = totals.cache_miss.ns;
  return values;
}

uint64_t VersionMetrics::Series::Read(MetricValue value) const {
  base::MutexLock lock(mutex);
  uint64_t sum = ended[value];
  for (const Load& load : loads) sum += ReadValues(*load.statistics)[value];
  return sum;
}

int64_t VersionMetrics::Series::Pending() const {
  base::MutexLock lock(mutex);
  int64_t sum = 0;
  for (const Load& load : loads) sum += load.statistics->pending();
  return sum;
}

VersionMetrics::~VersionMetrics() { owner_->Release(*this); }

std::unique_ptr<VersionMetrics> InferenceMetrics::Add(const core::ModelId& id,
                                                      const std::map<std::string, std::string>& tags,
                                                      std::shared_ptr<core::VersionStatistics> statistics,
                                                      config::HistogramBuckets buckets) {
  metrics::Labels labels = {{"model", id.name}, {"version", std::to_string(id.version)}};
  for (const auto& [name, value] : tags) labels.emplace_back("_" + name, value);

  base::MutexLock lock(mutex_);
  auto& series = series_[labels];
  if (series == nullptr) {
    series = std::make_shared<VersionMetrics::Series>();
    series->labels = labels;
    Register(series);
  }
  std::unique_ptr<VersionMetrics> handle(new VersionMetrics);
  {
    base::MutexLock series_lock(series->mutex);
    auto load = std::ranges::find_if(series->loads, [&](const auto& known) { return known.statistics == statistics; });
    if (load == series->loads.end()) {
      load = series->loads.insert(load, {statistics, {}});
      statistics->SetFailureObserver(FailuresInto(series, buckets));
    }
    load->reports.emplace(handle.get(), nullptr);
  }
  handle->owner_ = this;
  handle->batching_session_ = batching_session_;
  handle->series_ = series;
  handle->statistics_ = std::move(statistics);
  handle->request_seconds_ = AddRequestSeconds(
      registry_, labels, "SUCCESS", BoundsOf(buckets, config::kRequestSecondsFamily, metrics::LatencyBoundsSeconds()));
  handle->summaries_ = series->summaries.get();
  handle->batch_size_ = registry_.AddHistogram(config::kBatchSizeFamily, "Rows per execution", labels,
                                               BoundsOf(buckets, config::kBatchSizeFamily, kBatchBounds));
  handle->padding_rows_ = series->padding_rows;
  handle->buckets_ = std::move(buckets);
  return handle;
}

// A thread that records a failure holds the version, so the series exist while this runs.
core::VersionStatistics::FailureObserver InferenceMetrics::FailuresInto(std::shared_ptr<VersionMetrics::Series> series,
                                                                        const config::HistogramBuckets& buckets) {
  return [this, series = std::move(series),
          bounds = BoundsOf(buckets, config::kRequestSecondsFamily, metrics::LatencyBoundsSeconds())](
             core::FailureReason reason, int64_t total_ns) {
    const auto index = static_cast<size_t>(reason);
    VersionMetrics::Series::Failures& failures = series->failures[index];
    std::call_once(failures.made,
                   [&] { failures.seconds = AddRequestSeconds(registry_, series->labels, kReasons[index], bounds); });
    failures.seconds->Observe(static_cast<double>(total_ns) * 1e-9);
  };
}

void InferenceMetrics::Register(const std::shared_ptr<VersionMetrics::Series>& series) {
  for (const FamilyRow& row : kFamilies) {
    const bool latency = row.value >= kRequestNs && row.value <= kOutputNs;
    if (latency && !choice_.latency_counters) continue;
    metrics::Labels labels = series->labels;
    if (row.reason != nullptr)
      labels.emplace(labels.begin() + 1, "reason", row.reason);  // after the model, as in Triton
    registry_.AddCallback(metrics::Registry::CallbackKind::kCounter, row.name, row.help, std::move(labels),
                          [series, row] { return static_cast<double>(series->Read(row.value)) * row.unit; });
  }
  registry_.AddCallback(metrics::Registry::CallbackKind::kGauge, "nv_inference_pending_request_count",
                        "Instantaneous number of pending requests awaiting execution per-model.", series->labels,
                        [series] { return static_cast<double>(series->Pending()); });
  if (!choice_.summary_quantiles.empty()) {
    series->summaries = LatencySummaries::Add(registry_, series->labels, choice_.summary_quantiles);
  }
  series->padding_rows = registry_.AddCounter("inferd_batch_padding_rows_total",
                                              "Rows that filled executions up to an allowed size", series->labels);
}

void VersionMetrics::AddResponses() {
  const auto add = [this](std::string_view family, std::string_view help, std::span<const double> bounds) {
    return owner_->registry_.AddHistogram(family, help, series_->labels, BoundsOf(buckets_, family, bounds));
  };
  const std::span<const double> seconds = metrics::LatencyBoundsSeconds();
  first_response_seconds_ =
      add(config::kFirstResponseSecondsFamily, "Time from acceptance to the first of any number of responses", seconds);
  first_response_ms_ = add(config::kFirstResponseMsFamily, "Duration from request to first response in milliseconds",
                           kFirstResponseBoundsMs);
  next_response_seconds_ =
      add(config::kNextResponseSecondsFamily, "Time from one response to a request to the next", seconds);
}

void VersionMetrics::AddCache() {
  std::call_once(series_->cache_made, [this] { owner_->RegisterCache(series_); });
}

void InferenceMetrics::RegisterCache(const std::shared_ptr<VersionMetrics::Series>& series) {
  for (const FamilyRow& row : kCacheFamilies) {
    registry_.AddCallback(metrics::Registry::CallbackKind::kCounter, row.name, row.help, series->labels,
                          [series, row] { return static_cast<double>(series->Read(row.value)) * row.unit; });
  }
  if (series->summaries == nullptr) return;
  LatencySummaries::AddCache(series->summaries, registry_, series->labels, choice_.summary_quantiles);
  if (choice_.summarizes_cached_requests) return;
  LatencySummaries::RemoveRequests(registry_, series->labels, choice_.summary_quantiles);
}

void InferenceMetrics::Release(VersionMetrics& metrics) {
  VersionMetrics::Series& series = *metrics.series_;
  base::MutexLock lock(mutex_);
  bool last = false;
  {
    base::MutexLock series_lock(series.mutex);
    const auto load = std::ranges::find(series.loads, metrics.statistics_, &VersionMetrics::Series::Load::statistics);
    load->reports.erase(&metrics);
    if (load->reports.empty()) {
      const MetricValues values = ReadValues(*load->statistics);
      for (size_t i = 0; i < kValues; ++i) series.ended[i] += values[i];
      series.loads.erase(load);
    }
    last = series.loads.empty();
  }
  if (!last) return;
  registry_.Remove(series.labels);
  series_.erase(series_.find(series.labels));
}

}  // namespace inferd::scheduling

#include "tfs/request_metrics.h"

namespace inferd::tfs {

namespace {

// TensorFlow Serving's buckets.
std::array<double, 33> LatencyBounds() {
  std::array<double, 33> bounds{};
  double bound = 10;
  for (double& next : bounds) {
    next = bound;
    bound *= 1.8;
  }
  return bounds;
}

}  // namespace

std::string_view ApiName(Api api) {
  constexpr std::array<std::string_view, kApiCount> kNames = {"Predict", "Classify", "Regress", "MultiInference"};
  return kNames[static_cast<size_t>(api)];
}

RequestMetrics::OfModel& RequestMetrics::Of(std::string_view model) {
  const auto found = models_.find(model);
  return found != models_.end() ? found->second : models_[std::string(model)];
}

void RequestMetrics::Count(std::string_view model, Api api, base::StatusCode code, int64_t duration_ns) {
  OfModel& series = Of(model);
  auto& requests = series.requests[static_cast<size_t>(code)];
  if (requests == nullptr) {
    requests =
        registry_.AddCounter(":tensorflow:serving:request_count", "The total number of requests.",
                             {{"model_name", std::string(model)}, {"status", std::string(base::StatusCodeName(code))}});
  }
  requests->Add();
  if (code != base::StatusCode::kOk) return;
  auto& latencies = series.latencies[static_cast<size_t>(api)];
  if (latencies == nullptr) {
    latencies = registry_.AddHistogram(
        ":tensorflow:serving:request_latency", "Distribution of wall time (in microseconds) of requests.",
        {{"model_name", std::string(model)}, {"API", std::string(ApiName(api))}, {"entrypoint", entrypoint_}},
        LatencyBounds());
  }
  latencies->Observe(static_cast<double>(duration_ns) / 1000);
}

}  // namespace inferd::tfs

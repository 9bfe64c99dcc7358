#include "frontends/tfs_http/request_metrics.h"

namespace inferd::tfs_http {

namespace {

constexpr std::array<std::string_view, 3> kApiNames = {"Predict", "Classify", "Regress"};

size_t ApiOf(Endpoint endpoint) { return endpoint == Endpoint::kClassify ? 1 : endpoint == Endpoint::kRegress ? 2 : 0; }

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

RequestMetrics::OfModel& RequestMetrics::Of(std::string_view model) {
  const auto found = models_.find(model);
  return found != models_.end() ? found->second : models_[std::string(model)];
}

void RequestMetrics::Count(std::string_view model, Endpoint endpoint, base::StatusCode code, int64_t duration_ns) {
  OfModel& series = Of(model);
  auto& requests = series.requests[static_cast<size_t>(code)];
  if (requests == nullptr) {
    requests =
        registry_.AddCounter(":tensorflow:serving:request_count", "The total number of requests.",
                             {{"model_name", std::string(model)}, {"status", std::string(base::StatusCodeName(code))}});
  }
  requests->Add();
  if (code != base::StatusCode::kOk) return;
  const size_t api = ApiOf(endpoint);
  auto& latencies = series.latencies[api];
  if (latencies == nullptr) {
    latencies = registry_.AddHistogram(
        ":tensorflow:serving:request_latency", "Distribution of wall time (in microseconds) of requests.",
        {{"model_name", std::string(model)}, {"API", std::string(kApiNames[api])}, {"entrypoint", "REST"}},
        LatencyBounds());
  }
  latencies->Observe(static_cast<double>(duration_ns) / 1000);
}

}  // namespace inferd::tfs_http

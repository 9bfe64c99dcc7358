#include "protocols/tfs/request_metrics.h"

namespace inferd::tfs {

namespace {

// TensorFlow Serving's buckets.
template <size_t kCount>
std::array<double, kCount> Bounds(double first, double factor) {
  std::array<double, kCount> bounds{};
  for (double& bound : bounds) {
    bound = first;
    first *= factor;
  }
  return bounds;
}

std::array<double, 33> LatencyBounds() { return Bounds<33>(10, 1.8); }

}  // namespace

std::string_view ApiName(Api api) {
  constexpr std::array<std::string_view, kApiCount> kNames = {"Predict", "Classify", "Regress", "MultiInference",
                                                              "SessionRun"};
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

void RequestMetrics::CountRuntime(std::string_view model, Api api, int64_t duration_ns) {
  auto& runtimes = Of(model).runtimes[static_cast<size_t>(api)];
  if (runtimes == nullptr) {
    runtimes = registry_.AddHistogram(
        ":tensorflow:serving:runtime_latency", "Distribution of wall time (in microseconds) spent in the model.",
        {{"model_name", std::string(model)}, {"API", std::string(ApiName(api))}, {"runtime", "TF1"}}, LatencyBounds());
  }
  runtimes->Observe(static_cast<double>(duration_ns) / 1000);
}

void RequestMetrics::CountExamples(std::string_view model, int64_t examples) {
  OfModel& series = Of(model);
  if (series.examples == nullptr) {
    series.example_counts = registry_.AddHistogram(":tensorflow:serving:request_example_counts",
                                                   "The number of tensorflow.Examples per request.",
                                                   {{"model", std::string(model)}}, Bounds<20>(1, 2));
    series.examples = registry_.AddCounter(":tensorflow:serving:request_example_count_total",
                                           "The total number of tensorflow.Examples.", {{"model", std::string(model)}});
  }
  series.example_counts->Observe(static_cast<double>(examples));
  series.examples->Add(static_cast<uint64_t>(examples));
}

}  // namespace inferd::tfs

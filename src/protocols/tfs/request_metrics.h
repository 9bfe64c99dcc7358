#pragma once

#include <array>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/metrics/registry.h"
#include "base/status.h"

namespace inferd::tfs {

// The API of a request.
enum class Api : uint8_t { kPredict, kClassify, kRegress, kMultiInference, kSessionRun };
inline constexpr size_t kApiCount = 5;
std::string_view ApiName(Api api);  // "Predict"

// Counts requests under TensorFlow Serving's names: `:tensorflow:serving:request_count` by model and status;
// `:tensorflow:serving:request_latency` of successful ones, in microseconds, by model, API and entry point ("REST",
// "GRPC"); `runtime_latency`, the part of it in the queue and the model; and, for requests with examples,
// `request_example_counts` and `request_example_count_total`. One per loop, loop-bound: locks only when a model or
// status occurs for the first time. The registry must outlive it.
class RequestMetrics final {
 public:
  RequestMetrics(metrics::Registry& registry, std::string_view entrypoint)
      : registry_(registry), entrypoint_(entrypoint) {}

  // `model` must be one that the server has: names that clients invent must not make series.
  void Count(std::string_view model, Api api, base::StatusCode code, int64_t duration_ns);
  // For a successful request.
  void CountRuntime(std::string_view model, Api api, int64_t duration_ns);
  // Counts the examples of a request.
  void CountExamples(std::string_view model, int64_t examples);

 private:
  struct OfModel {
    static constexpr size_t kCodes = 17;
    std::array<std::shared_ptr<metrics::Counter>, kCodes> requests;
    std::array<std::shared_ptr<metrics::Histogram>, kApiCount> latencies;
    std::array<std::shared_ptr<metrics::Histogram>, kApiCount> runtimes;
    std::shared_ptr<metrics::Histogram> example_counts;
    std::shared_ptr<metrics::Counter> examples;
  };
  struct NameHash {
    using is_transparent = void;
    using is_avalanching = void;
    size_t operator()(std::string_view name) const { return boost::hash<std::string_view>()(name); }
  };

  OfModel& Of(std::string_view model);

  metrics::Registry& registry_;
  const std::string entrypoint_;
  boost::unordered_flat_map<std::string, OfModel, NameHash, std::equal_to<>> models_;
};

}  // namespace inferd::tfs

#include "serving/scheduling/metrics/latency_summaries.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <utility>

namespace inferd::scheduling {

namespace {

struct PhaseFamily {
  const char* name;
  const char* help;
};

// Indexed by phase.
constexpr PhaseFamily kPhaseFamilies[] = {
    {"nv_inference_request_summary_us", "Summary of inference request duration in microseconds"},
    {"nv_inference_queue_summary_us", "Summary of inference queuing duration in microseconds"},
    {"nv_inference_compute_input_summary_us", "Summary of compute input duration in microseconds"},
    {"nv_inference_compute_infer_summary_us", "Summary of compute inference duration in microseconds"},
    {"nv_inference_compute_output_summary_us", "Summary of compute output duration in microseconds"},
    {"nv_cache_hit_summary_per_model", "Summary of cache hit duration per model, in microseconds"},
    {"nv_cache_miss_summary_per_model", "Summary of cache miss duration per model, in microseconds"},
};

std::string QuantileText(double quantile) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, quantile).ptr};
}

}  // namespace

double RecentValues::Quantile(double quantile) const {
  const size_t kept = std::min<uint64_t>(count(), kValuesKept);
  if (kept == 0) return NAN;
  std::vector<double> values(kept);
  std::ranges::transform(values_.begin(), values_.begin() + static_cast<ptrdiff_t>(kept), values.begin(),
                         [](const auto& value) { return value.load(std::memory_order_relaxed); });
  const auto rank = static_cast<size_t>(std::ceil(quantile * static_cast<double>(kept)));
  const auto at = values.begin() + static_cast<ptrdiff_t>(std::clamp<size_t>(rank, 1, kept) - 1);
  std::ranges::nth_element(values, at);
  return *at;
}

std::shared_ptr<LatencySummaries> LatencySummaries::Add(metrics::Registry& registry, const metrics::Labels& labels,
                                                        const std::vector<double>& quantiles) {
  auto summaries = std::make_shared<LatencySummaries>();
  AddPhases(summaries, registry, labels, quantiles, kRequest, kCacheHit);
  return summaries;
}

void LatencySummaries::AddCache(const std::shared_ptr<LatencySummaries>& summaries, metrics::Registry& registry,
                                const metrics::Labels& labels, const std::vector<double>& quantiles) {
  AddPhases(summaries, registry, labels, quantiles, kCacheHit, kPhases);
}

void LatencySummaries::RemoveRequests(metrics::Registry& registry, const metrics::Labels& labels,
                                      const std::vector<double>& quantiles) {
  const std::string name = kPhaseFamilies[kRequest].name;
  for (const double quantile : quantiles) {
    metrics::Labels own = labels;
    own.emplace_back("quantile", QuantileText(quantile));
    registry.RemoveSeries(name, own);
  }
  registry.RemoveSeries(name + "_sum", labels);
  registry.RemoveSeries(name + "_count", labels);
}

void LatencySummaries::AddPhases(const std::shared_ptr<LatencySummaries>& summaries, metrics::Registry& registry,
                                 const metrics::Labels& labels, const std::vector<double>& quantiles, size_t first,
                                 size_t end) {
  using Kind = metrics::Registry::CallbackKind;
  for (size_t phase = first; phase < end; ++phase) {
    const auto& [name, help] = kPhaseFamilies[phase];
    for (const double quantile : quantiles) {
      metrics::Labels own = labels;
      own.emplace_back("quantile", QuantileText(quantile));
      registry.AddCallback(Kind::kGauge, name, help, std::move(own),
                           [summaries, phase, quantile] { return summaries->phases_[phase].Quantile(quantile); });
    }
    registry.AddCallback(Kind::kCounter, std::string(name) + "_sum", help, labels,
                         [summaries, phase] { return summaries->phases_[phase].sum(); });
    registry.AddCallback(Kind::kCounter, std::string(name) + "_count", help, labels,
                         [summaries, phase] { return static_cast<double>(summaries->phases_[phase].count()); });
  }
}

void LatencySummaries::ObserveRequest(int64_t total_ns, int64_t queue_ns) {
  Observe(kRequest, total_ns);
  Observe(kQueue, queue_ns);
}

void LatencySummaries::ObserveExecution(const core::PhaseTimes& phases, int64_t requests) {
  for (; requests > 0; --requests) {
    Observe(kInput, phases.compute_input_ns);
    Observe(kInfer, phases.compute_infer_ns);
    Observe(kOutput, phases.compute_output_ns);
  }
}

}  // namespace inferd::scheduling

#include "kserve/model/scale/hpa.h"

#include <algorithm>
#include <cmath>

#include "data/manifest/fields.h"
#include "kserve/model/api/annotations.h"

namespace inferd::model {

namespace {

constexpr double kPercentOfOne = 100;

// Returns the utilization of all pods together, relative to the target: 1 is on target.
double Ratio(double usage, double request, double target) { return usage / request * kPercentOfOne / target; }

}  // namespace

AutoscalerClass AutoscalerClassOf(const StringMap& annotations) {
  const auto found = annotations.find(kAutoscalerClassAnnotation);
  if (found == annotations.end()) return AutoscalerClass::kHpa;
  if (found->second == "external") return AutoscalerClass::kExternal;
  return found->second == "none" ? AutoscalerClass::kNone : AutoscalerClass::kHpa;
}

HpaSettings HpaSettingsOf(const ComponentExtension& extension, const StringMap& annotations) {
  const auto annotation = [&](const std::string& key) {
    const auto found = annotations.find(key);
    return found == annotations.end() ? std::nullopt : std::optional<std::string>(found->second);
  };
  HpaSettings settings;
  settings.resource = extension.scale_metric.value_or(annotation(kAutoscalerMetricsAnnotation).value_or("cpu"));
  settings.min_replicas = std::max<int64_t>(extension.min_replicas.value_or(1), 1);
  settings.max_replicas = std::max(extension.max_replicas, settings.min_replicas);
  if (extension.scale_target.has_value()) {
    settings.target_utilization = static_cast<double>(*extension.scale_target);
  } else if (const auto text = annotation(kTargetUtilizationAnnotation)) {
    const auto percent = manifest::ParseInt64(*text);
    if (percent.has_value()) settings.target_utilization = static_cast<double>(*percent);
  }
  return settings;
}

std::optional<int64_t> RecommendReplicas(const HpaSettings& settings, int64_t replicas,
                                         std::span<const PodUsage> pods) {
  double usage = 0;
  double request = 0;
  double ignored_request = 0;  // of pods that are not ready
  double missing_request = 0;  // of ready ones that were not measured
  int64_t ignored = 0;
  int64_t missing = 0;
  int64_t measured = 0;
  for (const PodUsage& pod : pods) {
    if (pod.request <= 0) return std::nullopt;
    if (!pod.ready) {
      ignored_request += pod.request;
      ++ignored;
    } else if (!pod.usage.has_value()) {
      missing_request += pod.request;
      ++missing;
    } else {
      usage += *pod.usage;
      request += pod.request;
      ++measured;
    }
  }
  if (measured == 0) return std::nullopt;
  const double ratio = Ratio(usage, request, settings.target_utilization);
  const auto is_near = [&](double value) { return std::abs(value - 1) <= settings.tolerance; };
  if (ignored == 0 && missing == 0) {
    return is_near(ratio) ? replicas : static_cast<int64_t>(std::ceil(ratio * static_cast<double>(measured)));
  }
  const bool fewer = ratio < 1;
  const double assumed = fewer ? missing_request * settings.target_utilization / kPercentOfOne : 0;
  const double all_requests = request + missing_request + (fewer ? 0 : ignored_request);
  const double careful = Ratio(usage + assumed, all_requests, settings.target_utilization);
  // The assumptions must not reverse the direction.
  if (is_near(careful) || (fewer ? careful > 1 : careful < 1)) return replicas;
  const int64_t counted = measured + missing + (fewer ? 0 : ignored);
  const auto recommended = static_cast<int64_t>(std::ceil(careful * static_cast<double>(counted)));
  return fewer ? std::min(recommended, replicas) : std::max(recommended, replicas);
}

int64_t HpaAutoscaler::WithinBounds(int64_t replicas) const {
  return std::clamp(replicas, settings_.min_replicas, settings_.max_replicas);
}

int64_t HpaAutoscaler::Changed(ScaleTime now, bool more) const {
  int64_t changed = 0;
  for (const Change& change : changes_) {
    if (change.time + settings_.policy_period > now && (change.replicas > 0) == more) changed += change.replicas;
  }
  return changed;
}

int64_t HpaAutoscaler::UpMax(ScaleTime now, int64_t replicas) const {
  const int64_t at_begin = replicas - Changed(now, true);
  const double by_percent = static_cast<double>(at_begin) * (1 + settings_.scale_up_percent / kPercentOfOne);
  return std::max(at_begin + settings_.scale_up_pods, static_cast<int64_t>(std::ceil(by_percent)));
}

int64_t HpaAutoscaler::DownMin(ScaleTime now, int64_t replicas) const {
  const int64_t at_begin = replicas - Changed(now, false);
  return static_cast<int64_t>(static_cast<double>(at_begin) * (1 - settings_.scale_down_percent / kPercentOfOne));
}

int64_t HpaAutoscaler::Scale(ScaleTime now, int64_t replicas, std::span<const PodUsage> pods) {
  if (replicas == 0) return 0;
  std::erase_if(changes_, [&](const Change& change) { return change.time + settings_.policy_period <= now; });
  int64_t wanted = replicas;
  if (const auto recommended = RecommendReplicas(settings_, replicas, pods)) {
    recommendations_.Record(now, *recommended);
    // Scale up at once. Scale down only if no recommendation in the window was higher.
    wanted = *recommended > replicas ? *recommended : std::min(replicas, recommendations_.Maximum(now));
  }
  if (wanted > replicas) wanted = std::min(wanted, std::max(UpMax(now, replicas), replicas));
  if (wanted < replicas) wanted = std::max(wanted, std::min(DownMin(now, replicas), replicas));
  wanted = WithinBounds(wanted);
  if (wanted != replicas) changes_.push_back({now, wanted - replicas});
  return wanted;
}

}  // namespace inferd::model

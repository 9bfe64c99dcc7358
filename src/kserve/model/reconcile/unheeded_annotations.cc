#include "kserve/model/reconcile/unheeded_annotations.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "kserve/model/api/annotations.h"
#include "kserve/model/scale/hpa.h"
#include "kserve/model/scale/knative_settings.h"

namespace inferd::model {

namespace {

constexpr std::string_view kKServePrefix = "serving.kserve.io/";
constexpr std::string_view kKnativePrefix = "autoscaling.knative.dev/";
constexpr std::string_view kRawOnly = "is for the autoscaler of raw mode; Knative has autoscaling.knative.dev/...";

// The annotations of KServe that this code uses.
const std::array<std::string_view, 8>& HeededOfKServe() {
  static const std::array<std::string_view, 8> heeded = {kDeploymentModeAnnotation,    kAutoscalerClassAnnotation,
                                                         kAutoscalerMetricsAnnotation, kTargetUtilizationAnnotation,
                                                         kTagRoutingAnnotation,        kGkeAcceleratorAnnotation,
                                                         kMetricAggregationAnnotation, kPrometheusScrapingAnnotation};
  return heeded;
}

class AnnotationFinder final {
 public:
  AnnotationFinder(const StringMap& annotations, ServingWay way, const InferenceServiceConfig& config)
      : annotations_(annotations), way_(way), config_(config) {}

  std::vector<UnheededField> Find() {
    for (const auto& [key, value] : annotations_) FindOfKServe(key);
    way_.mode == DeploymentMode::kRawDeployment ? FindInRaw() : FindInServerless();
    return std::move(found_);
  }

 private:
  void Add(bool unheeded, const std::string& key, std::string_view why) {
    if (unheeded && annotations_.contains(key)) {
      found_.push_back({.path = "metadata.annotations[" + key + "]", .why = std::string(why)});
    }
  }

  void FindOfKServe(const std::string& key) {
    const auto& heeded = HeededOfKServe();
    const bool known = std::ranges::find(heeded, key) != heeded.end();
    Add(key.starts_with(kKServePrefix) && !known, key, "nothing here goes by it");
    if (key != kDeploymentModeAnnotation || ParseDeploymentMode(annotations_.at(key)).has_value()) return;
    Add(true, key,
        "is no deployment mode; " + std::string(DeploymentModeName(config_.default_mode)) + " counts, as configured");
  }

  void FindInRaw() {
    constexpr std::string_view kKnativeOnly = "is Knative's, which is not asked in raw mode";
    const bool has_hpa = AutoscalerClassOf(annotations_) == AutoscalerClass::kHpa;
    for (const auto& [key, value] : annotations_) {
      Add(key.starts_with(kKnativePrefix) || key == kRolloutDurationAnnotation, key, kKnativeOnly);
      Add(key == kTagRoutingAnnotation && !way_.by_gateway, key, kKnativeOnly);
      Add(key == kMetricAggregationAnnotation && value == "true", key,
          "Knative's proxy would do that; Prometheus is led to the server's own metrics");
      const bool of_hpa = key == kAutoscalerMetricsAnnotation || key == kTargetUtilizationAnnotation;
      Add(of_hpa && !has_hpa, key, kNoAutoscaler);
    }
  }

  void FindInServerless() {
    for (const std::string& key :
         {kAutoscalerClassAnnotation, kAutoscalerMetricsAnnotation, kTargetUtilizationAnnotation}) {
      Add(true, key, kRawOnly);
    }
    Add(true, kKnativeMinScaleAnnotation, "the component's minReplicas counts, which is 1 where it is not given");
    Add(true, kKnativeMaxScaleAnnotation, "the component's maxReplicas counts");
    if (!way_.by_gateway) return;
    Add(true, kRolloutDurationAnnotation, "is Knative's; the gateway turns to a revision as soon as it is ready");
    FindMalformed();
  }

  // Finds a malformed annotation. Knative would refuse the object. Here the defaults apply instead of all its
  // annotations.
  void FindMalformed() {
    const auto settings = KnativeSettingsOf({}, annotations_);
    if (settings.has_value()) return;
    const std::string& why = settings.error().message();
    const auto key = std::ranges::find_if(annotations_, [&](const auto& each) { return why.starts_with(each.first); });
    if (key == annotations_.end()) return;
    Add(true, key->first,
        why.substr(std::min(why.size(), key->first.size() + 2)) + "; defaults count for all of " +
            std::string(kKnativePrefix));
  }

  const StringMap& annotations_;
  const ServingWay way_;
  const InferenceServiceConfig& config_;
  std::vector<UnheededField> found_;
};

}  // namespace

std::vector<UnheededField> UnheededAnnotations(const InferenceService& service, ServingWay way,
                                               const InferenceServiceConfig& config) {
  return AnnotationFinder(service.metadata.annotations, way, config).Find();
}

}  // namespace inferd::model

#include "controlplane/reconcile/unheeded_fields.h"

#include <string_view>
#include <utility>

#include "controlplane/api/annotations.h"
#include "controlplane/scale/hpa.h"

namespace inferd::controlplane {

namespace {

constexpr std::string_view kKnativeOnly = "is Knative's, which is not asked in raw mode";
constexpr std::string_view kNoAutoscaler = "the autoscaler class makes no autoscaler";
constexpr std::string_view kHpaOnly = "is for the autoscaler of raw mode; Knative has autoscaling.knative.dev/...";

class UnheededFinder final {
 public:
  UnheededFinder(const InferenceService& service, DeploymentMode mode, const InferenceServiceConfig& config)
      : service_(service),
        raw_(mode == DeploymentMode::kRawDeployment),
        gateway_api_(config.ingress.enable_gateway_api),
        config_(config),
        autoscaler_(AutoscalerClassOf(service.metadata.annotations)) {}

  std::vector<UnheededField> Find() {
    raw_ ? FindRawAnnotations() : FindServerlessAnnotations();
    FindIn("spec.predictor", service_.predictor.extension);
    if (service_.predictor.model.has_value()) FindInModel(*service_.predictor.model);
    if (service_.transformer.has_value()) FindIn("spec.transformer", service_.transformer->extension);
    if (service_.explainer.has_value()) FindIn("spec.explainer", service_.explainer->extension);
    return std::move(found_);
  }

 private:
  void Add(bool given, std::string path, std::string_view why) {
    if (given) found_.push_back({.path = std::move(path), .why = std::string(why)});
  }

  void AddAnnotation(const std::string& key, std::string_view why) {
    Add(service_.metadata.annotations.contains(key), "metadata.annotations[" + key + "]", why);
  }

  void FindRawAnnotations() {
    for (const auto& [key, value] : service_.metadata.annotations) {
      const bool knative = key.starts_with("autoscaling.knative.dev/") || key == kRolloutDurationAnnotation;
      if (knative || key == kTagRoutingAnnotation) AddAnnotation(key, kKnativeOnly);
      if (key == kMetricAggregationAnnotation && value == "true") {
        AddAnnotation(key, "Knative's proxy would do that; Prometheus is led to the server's own metrics");
      }
      const bool of_hpa = key == kAutoscalerMetricsAnnotation || key == kTargetUtilizationAnnotation;
      if (of_hpa && autoscaler_ != AutoscalerClass::kHpa) AddAnnotation(key, kNoAutoscaler);
    }
  }

  void FindServerlessAnnotations() {
    for (const std::string& key :
         {kAutoscalerClassAnnotation, kAutoscalerMetricsAnnotation, kTargetUtilizationAnnotation}) {
      AddAnnotation(key, kHpaOnly);
    }
  }

  void FindIn(const std::string& path, const ComponentExtension& extension) {
    if (raw_) {
      FindInRaw(path, extension);
    } else {
      Add(extension.deployment_strategy.has_value(), path + ".deploymentStrategy",
          "is a Deployment's; Knative replaces pods by serving.knative.dev/rollout-duration");
    }
    const bool no_sink =
        extension.logger.has_value() && !extension.logger->url.has_value() && config_.logger_url.empty();
    Add(no_sink, path + ".logger", "nothing is logged without a url, and the configuration's logger has no defaultUrl");
    Add(extension.batcher.has_value() && extension.batcher->timeout_s.has_value(), path + ".batcher.timeout",
        "the agent is not told of it; it has the component's timeout");
  }

  void FindInRaw(const std::string& path, const ComponentExtension& extension) {
    const bool has_agent = extension.logger.has_value() || extension.batcher.has_value();
    Add(extension.canary_traffic_percent.has_value(), path + ".canaryTrafficPercent",
        "a Deployment has one version, and there is no inferd-gateway: all requests go to the latest that is ready");
    Add(extension.container_concurrency.value_or(0) > 0, path + ".containerConcurrency",
        "nothing in front of the pods counts requests in raw mode");
    Add(extension.timeout_s.value_or(0) > 0 && !has_agent && !gateway_api_, path + ".timeout",
        "nothing in front of the pods holds requests to it in raw mode, unless enableGatewayApi is configured");
    if (autoscaler_ == AutoscalerClass::kHpa) {
      Add(extension.min_replicas == 0, path + ".minReplicas",
          "a HorizontalPodAutoscaler does not scale to zero: there is one");
      return;
    }
    const bool external = autoscaler_ == AutoscalerClass::kExternal;
    Add(external && extension.min_replicas.has_value(), path + ".minReplicas", kNoAutoscaler);
    Add(extension.max_replicas != 0, path + ".maxReplicas", kNoAutoscaler);
    Add(extension.scale_target.has_value(), path + ".scaleTarget", kNoAutoscaler);
    Add(extension.scale_metric.has_value(), path + ".scaleMetric", kNoAutoscaler);
  }

  void FindInModel(const ModelSpec& model) {
    Add(model.storage.has_value() && model.storage->schema_path.has_value(), "spec.predictor.model.storage.schemaPath",
        "is ModelMesh's alone");
  }

  const InferenceService& service_;
  const bool raw_;
  const bool gateway_api_;
  const InferenceServiceConfig& config_;
  const AutoscalerClass autoscaler_;
  std::vector<UnheededField> found_;
};

}  // namespace

std::vector<UnheededField> UnheededFields(const InferenceService& service, DeploymentMode mode,
                                          const InferenceServiceConfig& config) {
  return UnheededFinder(service, mode, config).Find();
}

}  // namespace inferd::controlplane

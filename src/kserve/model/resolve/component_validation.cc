#include "kserve/model/resolve/component_validation.h"

#include "data/manifest/fields.h"
#include "kserve/model/api/annotations.h"
#include "kserve/model/api/inference_service_config.h"

namespace inferd::model {

namespace {

constexpr std::string_view kTargetUtilization = "The target utilization percentage should be a [1-100] integer.";
constexpr int64_t kPercentMax = 100;

std::string UnsupportedMetric(std::string_view metric) {
  return "[" + std::string(metric) + "] is not a supported metric.\n";
}

bool IsHpaMetric(std::string_view metric) { return metric == "cpu" || metric == "memory"; }
bool IsKpaMetric(std::string_view metric) { return metric == "concurrency" || metric == "rps"; }

class ExtensionValidator {
 public:
  ExtensionValidator(std::string_view key, const ComponentExtension& extension, DocumentProblems& problems)
      : key_(key), extension_(extension), problems_(problems) {}

  void Replicas() {
    const int64_t min = extension_.min_replicas.value_or(1);
    const int64_t max = extension_.max_replicas;
    if (min < 0) Add("minReplicas", "MinReplicas cannot be less than 0.");
    if (max < 0) Add("maxReplicas", "MaxReplicas cannot be less than 0.");
    if (min > max && max > 0) Add("minReplicas", "MinReplicas cannot be greater than MaxReplicas.");
  }

  void Logger() {
    if (!extension_.logger.has_value()) return;
    const std::string& mode = extension_.logger->mode;
    if (mode != "all" && mode != "request" && mode != "response") Add("logger", "Invalid logger type");
  }

  void HpaScaling() {
    const std::string metric = extension_.scale_metric.value_or("cpu");
    if (!IsHpaMetric(metric)) Add("scaleMetric", UnsupportedMetric(metric));
    if (!extension_.scale_target.has_value()) return;
    const int64_t target = *extension_.scale_target;
    // KServe limits memory to 100 too, though its messages say MiB.
    if ((metric == "cpu" && target < 1) || target > kPercentMax) {
      Add("scaleTarget", std::string(kTargetUtilization));
    } else if (metric == "memory" && target < 1) {
      Add("scaleTarget", "The target memory should be greater than 1 MiB");
    }
  }

  void KpaScaling() {
    const std::string metric = extension_.scale_metric.value_or("concurrency");
    if (!IsKpaMetric(metric)) Add("scaleMetric", UnsupportedMetric(metric));
    const bool too_small = extension_.scale_target.has_value() && *extension_.scale_target < 1;
    if (too_small && metric == "rps") Add("scaleTarget", "The target for rps should be greater than 1");
    // Knative would refuse such a target when it creates the revision.
    if (too_small && metric == "concurrency") Add("scaleTarget", "must be at least 1");
  }

  // inferd's own rules.
  void Ranges() {
    const auto percent = extension_.canary_traffic_percent;
    if (percent.has_value() && (*percent < 0 || *percent > kPercentMax)) {
      Add("canaryTrafficPercent", "must be between 0 and 100");
    }
    if (extension_.timeout_s.value_or(0) < 0) Add("timeout", "must not be negative");
    if (!extension_.batcher.has_value()) return;
    const auto& batcher = *extension_.batcher;
    if (batcher.max_batch_size.value_or(1) < 1) AddOfBatcher("maxBatchSize", "must be at least 1");
    if (batcher.max_latency_ms.value_or(1) < 1) AddOfBatcher("maxLatency", "must be at least 1");
    if (batcher.timeout_s.value_or(0) < 0) AddOfBatcher("timeout", "must not be negative");
  }

  void Scaling(const ObjectMeta& metadata) {
    const bool raw =
        ParseDeploymentMode(metadata.annotation(kDeploymentModeAnnotation)) == DeploymentMode::kRawDeployment;
    const bool hpa = metadata.annotation(kKnativeClassAnnotation) == "hpa.autoscaling.knative.dev";
    if (raw || hpa) {
      HpaScaling();
    } else {
      KpaScaling();
    }
  }

  void Add(std::string_view field, std::string message) {
    if (key_.empty()) return problems_.Add({"spec", field}, std::move(message));
    problems_.Add({"spec", key_, field}, std::move(message));
  }

 private:
  void AddOfBatcher(std::string_view field, std::string message) {
    problems_.Add({"spec", key_, "batcher", field}, std::move(message));
  }

  std::string_view key_;  // of the component; empty if the fields are right under `spec`
  const ComponentExtension& extension_;
  DocumentProblems& problems_;
};

}  // namespace

void ValidateExtension(std::string_view key, const ComponentExtension& extension, const ObjectMeta& metadata,
                       DocumentProblems& problems) {
  ExtensionValidator validator(key, extension, problems);
  if (extension.container_concurrency.value_or(0) < 0) {
    validator.Add("containerConcurrency", "Parallelism cannot be less than 0.");
  }
  validator.Replicas();
  validator.Logger();
  validator.Scaling(metadata);
  validator.Ranges();
}

void ValidateScaling(const ComponentExtension& scaling, const ObjectMeta& metadata, DocumentProblems& problems) {
  ExtensionValidator validator("", scaling, problems);
  validator.Replicas();
  if (ParseDeploymentMode(metadata.annotation(kDeploymentModeAnnotation)).has_value()) validator.Scaling(metadata);
}

void ValidateAutoscalerAnnotations(const ObjectMeta& metadata, DocumentProblems& problems) {
  const auto add = [&](const std::string& annotation, std::string message) {
    problems.Add({"metadata", "annotations", annotation}, std::move(message));
  };
  if (metadata.annotations.contains(kAutoscalerClassAnnotation)) {
    const std::string_view name = metadata.annotation(kAutoscalerClassAnnotation);
    const std::string_view metric = metadata.annotation(kAutoscalerMetricsAnnotation);
    // KServe 0.10 has only hpa. Later versions have the others.
    const bool no_autoscaler = name == "external" || name == "none";
    if (name != "hpa" && !no_autoscaler) {
      add(kAutoscalerClassAnnotation, "[" + std::string(name) + "] is not a supported autoscaler class type.\n");
    } else if (metadata.annotations.contains(kAutoscalerMetricsAnnotation) && !IsHpaMetric(metric)) {
      add(kAutoscalerMetricsAnnotation, UnsupportedMetric(metric));
    }
  }
  if (!metadata.annotations.contains(kTargetUtilizationAnnotation)) return;
  const auto percent = manifest::ParseInt64(metadata.annotation(kTargetUtilizationAnnotation));
  if (!percent.has_value() || *percent < 1 || *percent > kPercentMax) {
    add(kTargetUtilizationAnnotation, std::string(kTargetUtilization));
  }
}

}  // namespace inferd::model

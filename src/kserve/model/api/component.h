#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/manifest/fields.h"
#include "data/manifest/value.h"

namespace inferd::model {

using manifest::StringMap;

// KServe 0.10: ComponentExtensionSpec, the fields that predictor, transformer and explainer share.
struct ComponentExtension {
  struct Logger {
    std::optional<std::string> url;
    std::string mode;  // all, request, response
  };
  struct Batcher {
    std::optional<int64_t> max_batch_size;
    std::optional<int64_t> max_latency_ms;
    std::optional<int64_t> timeout_s;
  };

  std::optional<int64_t> min_replicas;
  int64_t max_replicas = 0;  // 0: no limit
  std::optional<int64_t> scale_target;
  std::optional<std::string> scale_metric;  // cpu, memory, concurrency, rps
  std::optional<int64_t> container_concurrency;
  std::optional<int64_t> timeout_s;
  std::optional<int64_t> canary_traffic_percent;
  std::optional<Logger> logger;
  std::optional<Batcher> batcher;
  std::optional<manifest::Value>
      deployment_strategy;  // KServe 0.13: of the Deployment (Kubernetes: DeploymentStrategy)
  // KServe 0.11: labels and annotations of the component's pods.
  StringMap labels;
  StringMap annotations;
};

// The names of the extension's fields.
inline constexpr std::array<std::string_view, 12> kComponentExtensionFields = {
    "minReplicas",          "maxReplicas", "scaleTarget", "scaleMetric", "containerConcurrency", "timeout",
    "canaryTrafficPercent", "logger",      "batcher",     "labels",      "annotations",          "deploymentStrategy"};

// Fields of components and of models in KServe 0.15 to 0.20. This code ignores them, and they are not fields of pods.
inline constexpr std::array<std::string_view, 5> kNewerComponentFields = {"autoScaling", "workerSpec", "name",
                                                                          "storageUris", "storageContainerName"};
inline constexpr std::array<std::string_view, 2> kNewerModelFields = {"storageUris", "storageContainerName"};

ComponentExtension ReadComponentExtension(manifest::Fields& component);
// Reads the scaling fields into `extension`: minReplicas, maxReplicas, scaleTarget, scaleMetric.
void ReadScaling(manifest::Fields& fields, ComponentExtension& extension);

// The parts that predictor, transformer and explainer share, without the implementation.
struct Component {
  std::string path;  // "spec.predictor"
  ComponentExtension extension;
  // Kubernetes: PodSpec. The fields of the component that belong neither to the implementation nor to the extension.
  manifest::Value pod_spec = manifest::Value::Map();

  // Returns the pod's containers. A custom implementation has at least one.
  const std::vector<manifest::Value>& containers() const;
};

// Reads the parts that all components share. `implementations` are the fields that do not belong to the pod.
Component ReadComponent(manifest::Fields& component, std::span<const std::string_view> implementations);

}  // namespace inferd::model

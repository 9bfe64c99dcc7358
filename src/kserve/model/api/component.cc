#include "kserve/model/api/component.h"

#include <algorithm>
#include <utility>

#include "kserve/model/api/empty_values.h"
#include "kserve/model/api/pod_spec.h"

namespace inferd::model {

void ReadScaling(manifest::Fields& fields, ComponentExtension& extension) {
  fields.Read("minReplicas", extension.min_replicas);
  fields.Read("maxReplicas", extension.max_replicas);
  fields.Read("scaleTarget", extension.scale_target);
  fields.Read("scaleMetric", extension.scale_metric);
}

ComponentExtension ReadComponentExtension(manifest::Fields& component) {
  ComponentExtension extension;
  ReadScaling(component, extension);
  component.Read("containerConcurrency", extension.container_concurrency);
  component.Read("timeout", extension.timeout_s);
  component.Read("canaryTrafficPercent", extension.canary_traffic_percent);
  const std::optional<manifest::Fields> strategy = component.Map("deploymentStrategy");
  if (strategy.has_value() && !IsUnset(strategy->value())) {
    extension.deployment_strategy = WithoutNulls(strategy->value());
  }
  component.Read("labels", extension.labels);
  component.Read("annotations", extension.annotations);
  if (std::optional<manifest::Fields> logger = component.Map("logger")) {
    ComponentExtension::Logger& target = extension.logger.emplace();
    logger->Read("url", target.url);
    logger->Read("mode", target.mode);
  }
  if (std::optional<manifest::Fields> batcher = component.Map("batcher")) {
    ComponentExtension::Batcher& target = extension.batcher.emplace();
    batcher->Read("maxBatchSize", target.max_batch_size);
    batcher->Read("maxLatency", target.max_latency_ms);
    batcher->Read("timeout", target.timeout_s);
  }
  return extension;
}

const std::vector<manifest::Value>& Component::containers() const {
  static const std::vector<manifest::Value> none;
  const manifest::Value* containers = pod_spec.Find("containers");
  return containers == nullptr ? none : containers->items();
}

Component ReadComponent(manifest::Fields& component, std::span<const std::string_view> implementations) {
  Component read;
  read.path = component.path();
  read.extension = ReadComponentExtension(component);
  CheckPodSpec(component);
  const auto is_of = [](std::string_view key, const auto& keys) { return std::ranges::find(keys, key) != keys.end(); };
  for (const manifest::Member& member : component.value().members()) {
    const bool other = is_of(member.key, implementations) || is_of(member.key, kComponentExtensionFields) ||
                       is_of(member.key, kNewerComponentFields);
    if (!other) read.pod_spec.members().push_back(member);
  }
  read.pod_spec = WithoutNulls(std::move(read.pod_spec));
  return read;
}

}  // namespace inferd::model

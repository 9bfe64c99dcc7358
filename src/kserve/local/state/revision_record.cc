#include "kserve/local/state/revision_record.h"

#include <array>
#include <cstdio>
#include <string_view>
#include <utility>

#include "data/manifest/fields.h"
#include "data/manifest/print.h"
#include "data/manifest/read.h"
#include "data/manifest/value_path.h"
#include "kserve/apiserver/objects/owners.h"
#include "kserve/model/api/annotations.h"
#include "kserve/model/api/component.h"

namespace inferd::local {

namespace {

using manifest::StringMap;
using manifest::Text;
using manifest::TextAt;
using manifest::Value;
using model::ComponentExtension;
using model::ComponentKind;

const std::string kComponentAnnotation = "serving.inferd.io/component";
const std::string kConfigurationLabel = "serving.knative.dev/configuration";
const std::string kNumberLabel = "serving.knative.dev/configurationGeneration";
constexpr std::array<ComponentKind, 3> kKinds = {ComponentKind::kPredictor, ComponentKind::kTransformer,
                                                 ComponentKind::kExplainer};

void SetNumber(Value& map, std::string_view key, const std::optional<int64_t>& number) {
  if (number.has_value()) map.Set(key, Value::Int(*number));
}

// Returns the document that ReadComponentExtension reads.
Value ExtensionDocument(const ComponentExtension& extension) {
  Value map = Value::Map();
  SetNumber(map, "minReplicas", extension.min_replicas);
  map.Set("maxReplicas", Value::Int(extension.max_replicas));
  SetNumber(map, "scaleTarget", extension.scale_target);
  if (extension.scale_metric.has_value()) map.Set("scaleMetric", Text(*extension.scale_metric));
  SetNumber(map, "containerConcurrency", extension.container_concurrency);
  SetNumber(map, "timeout", extension.timeout_s);
  if (extension.logger.has_value()) {
    Value& logger = map.MapAt("logger");
    if (extension.logger->url.has_value()) logger.Set("url", Text(*extension.logger->url));
    logger.Set("mode", Text(extension.logger->mode));
  }
  if (extension.batcher.has_value()) {
    Value& batcher = map.MapAt("batcher");
    SetNumber(batcher, "maxBatchSize", extension.batcher->max_batch_size);
    SetNumber(batcher, "maxLatency", extension.batcher->max_latency_ms);
    SetNumber(batcher, "timeout", extension.batcher->timeout_s);
  }
  return map;
}

StringMap TextsOf(const Value& object, std::string_view key) {
  StringMap texts;
  const Value* const map = manifest::FieldAt(object, {"metadata", key});
  if (map == nullptr) return texts;
  for (const manifest::Member& member : map->members()) texts[member.key] = member.value.text();
  return texts;
}

std::optional<ComponentKind> KindOf(std::string_view name) {
  for (const ComponentKind kind : kKinds) {
    if (ComponentKindName(kind) == name) return kind;
  }
  return std::nullopt;
}

}  // namespace

std::string RevisionRecord::name() const {
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "-%05d", number);
  return component + text.data();
}

Value MakeRevisionObject(const RevisionRecord& record) {
  const model::ResolvedPod& pod = record.pod;
  StringMap labels = pod.labels;
  labels[kConfigurationLabel] = record.component;
  labels[kNumberLabel] = std::to_string(record.number);
  StringMap annotations = pod.annotations;
  annotations[kComponentAnnotation] = manifest::ToJson(Value::Map({{"kind", Text(ComponentKindName(pod.kind))},
                                                                   {"runtime", Text(pod.runtime)},
                                                                   {"protocolVersion", Text(pod.protocol_version)},
                                                                   {"extension", ExtensionDocument(pod.extension)}}));
  Value object = Value::Map({{"apiVersion", Text("serving.knative.dev/v1")}, {"kind", Text("Revision")}});
  Value& metadata = object.MapAt("metadata");
  metadata.Set("name", Text(record.name()));
  metadata.Set("namespace", Text(pod.namespace_name));
  metadata.Set("labels", Value::StringMap(labels));
  metadata.Set("annotations", Value::StringMap(annotations));
  metadata.Set("ownerReferences", Value::List({Value::Map({{"apiVersion", Text("serving.kserve.io/v1beta1")},
                                                           {"kind", Text("InferenceService")},
                                                           {"name", Text(record.service)},
                                                           {"uid", Text(record.service_uid)},
                                                           {"controller", Value::Bool(true)},
                                                           {"blockOwnerDeletion", Value::Bool(true)}})}));
  object.Set("spec", pod.pod_spec);
  return object;
}

std::optional<RevisionRecord> ReadRevisionObject(const Value& object) {
  RevisionRecord record;
  model::ResolvedPod& pod = record.pod;
  pod.labels = TextsOf(object, "labels");
  pod.annotations = TextsOf(object, "annotations");
  const auto owners = apiserver::OwnersOf(object);
  const auto documents = manifest::ReadJson(pod.annotations[kComponentAnnotation], "component");
  const auto number = manifest::ParseInt64(pod.labels[kNumberLabel]);
  const Value* const spec = object.Find("spec");
  if (owners.size() != 1 || spec == nullptr || !documents.has_value() || documents->size() != 1 ||
      !number.has_value() || *number < 1 || *number > INT32_MAX) {
    return std::nullopt;
  }
  const Value& component = documents->front();
  const auto kind = KindOf(TextAt(component, {"kind"}));
  const Value* const extension = component.Find("extension");
  if (!kind.has_value() || extension == nullptr) return std::nullopt;
  manifest::Problems problems;
  manifest::Fields fields(*extension, "extension", problems);
  pod.kind = *kind;
  pod.extension = model::ReadComponentExtension(fields);
  pod.pod_spec = *spec;
  pod.namespace_name = TextAt(object, {"metadata", "namespace"});
  pod.runtime = TextAt(component, {"runtime"});
  pod.protocol_version = TextAt(component, {"protocolVersion"});
  record.component = pod.labels[kConfigurationLabel];
  record.number = static_cast<int>(*number);
  record.service = owners.front().name;
  record.service_uid = owners.front().uid;
  pod.labels.erase(kConfigurationLabel);
  pod.labels.erase(kNumberLabel);
  pod.annotations.erase(kComponentAnnotation);
  if (record.name() != TextAt(object, {"metadata", "name"})) return std::nullopt;
  return record;
}

}  // namespace inferd::local

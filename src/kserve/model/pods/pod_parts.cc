#include "kserve/model/pods/pod_parts.h"

#include <algorithm>
#include <array>

#include "data/manifest/print.h"
#include "kserve/model/api/annotations.h"
#include "kserve/model/api/pod_spec.h"
#include "kserve/model/pods/model_config.h"

namespace inferd::model {

namespace {

// Annotations of a service that are not copied to its pods, which get their own values from elsewhere.
constexpr std::array<std::string_view, 4> kNotCopied = {
    "autoscaling.knative.dev/min-scale", "autoscaling.knative.dev/max-scale",
    "internal.serving.kserve.io/storage-initializer-sourceuri", "kubectl.kubernetes.io/last-applied-configuration"};

void AnnotateAgent(const ComponentExtension& extension, StringMap& annotations) {
  if (extension.logger.has_value()) {
    annotations[kLoggerAnnotation] = "true";
    if (extension.logger->url.has_value()) annotations[kLoggerUrlAnnotation] = *extension.logger->url;
    annotations[kLoggerModeAnnotation] = extension.logger->mode;
  }
  if (!extension.batcher.has_value()) return;
  annotations[kBatcherAnnotation] = "true";
  const auto annotate = [&](const std::string& key, const std::optional<int64_t>& value) {
    if (value.has_value()) annotations[key] = std::to_string(*value);
  };
  annotate(kBatchSizeAnnotation, extension.batcher->max_batch_size);
  annotate(kBatchLatencyAnnotation, extension.batcher->max_latency_ms);
  annotate(kBatchTimeoutAnnotation, extension.batcher->timeout_s);
}

}  // namespace

std::string_view ComponentKindName(ComponentKind kind) {
  switch (kind) {
    case ComponentKind::kPredictor: return "predictor";
    case ComponentKind::kTransformer: return "transformer";
    case ComponentKind::kExplainer: return "explainer";
  }
  return "";
}

std::string ComponentObjectName(const InferenceService& service, ComponentKind kind) {
  return service.metadata.name + "-" + std::string(ComponentKindName(kind)) + "-default";
}

std::vector<manifest::Value>& ListOf(manifest::Value& map, std::string_view key) {
  manifest::Value& list = map.At(key);
  if (!list.is(manifest::Kind::kList)) list = manifest::Value::List();
  return list.items();
}

manifest::Value* FindNamed(manifest::Value& map, std::string_view key, std::string_view name) {
  manifest::Value* const list = map.Find(key);
  if (list == nullptr || !list->is(manifest::Kind::kList)) return nullptr;
  for (manifest::Value& item : list->items()) {
    const manifest::Value* const given = item.Find("name");
    if (given != nullptr && given->text() == name) return &item;
  }
  return nullptr;
}

bool HasArgument(const manifest::Value& container, std::string_view name) {
  const manifest::Value* arguments = container.Find("args");
  return arguments != nullptr && std::ranges::any_of(arguments->items(), [&](const manifest::Value& argument) {
           const std::string_view text = argument.text();
           return text.starts_with(name) && (text.size() == name.size() || text[name.size()] == '=');
         });
}

ResolvedPod BeginPod(const ObjectMeta& metadata, const ComponentExtension& extension) {
  ResolvedPod pod;
  pod.extension = extension;
  pod.namespace_name = metadata.namespace_name;
  for (const auto& [key, value] : metadata.annotations) {
    if (std::ranges::find(kNotCopied, key) == kNotCopied.end()) pod.annotations.emplace(key, value);
  }
  for (const auto& [key, value] : extension.annotations) pod.annotations[key] = value;
  AnnotateAgent(extension, pod.annotations);
  pod.labels = metadata.labels;
  for (const auto& [key, value] : extension.labels) pod.labels[key] = value;
  return pod;
}

ResolvedPod BeginPod(const InferenceService& service, ComponentKind kind, const ComponentExtension& extension) {
  ResolvedPod pod = BeginPod(service.metadata, extension);
  pod.kind = kind;
  pod.labels[kInferenceServiceLabel] = service.metadata.name;
  pod.labels[kComponentLabel] = ComponentKindName(kind);
  return pod;
}

void AnnotateMultiModel(const InferenceService& service, StringMap& annotations) {
  if (!IsMultiModel(service)) return;
  annotations[kAgentAnnotation] = "true";
  annotations[kModelConfigAnnotation] = ModelConfigName(service);
  annotations[kConfigDirAnnotation] = "/mnt/configs";
  annotations[kModelDirAnnotation] = "/mnt/models";
}

void AnnotateStorage(const std::optional<std::string>& storage_uri, const std::optional<StorageSpec>& storage,
                     StringMap& annotations) {
  if (storage_uri.has_value()) annotations[kStorageSourceAnnotation] = *storage_uri;
  if (!storage.has_value()) return;
  annotations[kStorageSpecAnnotation] = "true";
  if (!storage->parameters.empty()) {
    annotations[kStorageSpecParametersAnnotation] = manifest::ToJson(manifest::Value::StringMap(storage->parameters));
  }
  if (storage->storage_key.has_value()) annotations[kStorageSpecKeyAnnotation] = *storage->storage_key;
  if (storage_uri.has_value()) return;
  // The initializer finds type and bucket by the key.
  annotations[kStorageSourceAnnotation] = "<scheme-placeholder>://" + storage->path.value_or("");
}

void AnnotateCustomStorage(const manifest::Value& container, StringMap& annotations) {
  const std::string_view uri = FindEnvironment(container, "STORAGE_URI");
  if (!uri.empty()) AnnotateStorage(std::string(uri), std::nullopt, annotations);
}

std::string PredictorHost(const InferenceService& service) {
  return ComponentObjectName(service, ComponentKind::kPredictor) + "." + service.metadata.namespace_name;
}

}  // namespace inferd::model

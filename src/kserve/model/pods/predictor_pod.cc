#include <utility>

#include "kserve/model/api/pod_spec.h"
#include "kserve/model/pods/image_tag.h"
#include "kserve/model/pods/pod_parts.h"
#include "kserve/model/pods/pod_resolution.h"
#include "kserve/model/pods/runtime_defaults.h"
#include "kserve/model/pods/strategic_merge.h"
#include "kserve/model/pods/template_text.h"

namespace inferd::model {

namespace {

using manifest::Value;

std::unexpected<ResolutionFailure> Invalid(std::string_view message, std::string_view event, const base::Status& why) {
  return std::unexpected(ResolutionFailure{.reason = "InvalidPredictorSpec",
                                           .message = std::string(message),
                                           .event = std::string(event) + ": " + why.message()});
}

// Returns the runtime's container merged with the model's. The arguments of both are kept.
base::Result<Value> MergeContainers(const Value& runtime, const Value& model) {
  INFERD_ASSIGN_OR_RETURN(Value merged, StrategicMerge(runtime, model));
  std::vector<Value> arguments;
  for (const Value* container : {&runtime, &model}) {
    const Value* own = container->Find("args");
    if (own != nullptr) arguments.insert(arguments.end(), own->items().begin(), own->items().end());
  }
  if (!arguments.empty()) merged.Set("args", Value::List(std::move(arguments)));
  merged.Set("name", Value::String(std::string(kServingContainer)));
  return merged;
}

}  // namespace

std::expected<ResolvedPod, ResolutionFailure> ResolvePredictor(const InferenceService& service,
                                                               const ServingRuntime* runtime) {
  const Predictor& predictor = service.predictor;
  ResolvedPod pod = BeginPod(service, ComponentKind::kPredictor, predictor.extension);
  AnnotateMultiModel(service, pod.annotations);
  if (runtime == nullptr || !predictor.model.has_value()) {
    pod.pod_spec = predictor.pod_spec;
    if (!predictor.containers().empty()) AnnotateCustomStorage(predictor.containers().front(), pod.annotations);
    return pod;
  }
  if (runtime->containers.empty()) {
    return std::unexpected(ResolutionFailure{"InvalidPredictorSpec",
                                             "No container configuration found in selected serving runtime",
                                             "no container configuration found in selected serving runtime"});
  }
  ModelSpec model = *predictor.model;
  ObjectMeta metadata = service.metadata;
  pod.runtime = runtime->metadata.name;
  ApplyRuntimeDefaults(pod.runtime, metadata.name, model, metadata.labels);

  auto container = MergeContainers(runtime->containers.front(), model.container);
  if (!container.has_value()) {
    return Invalid("Failed to get runtime container", "failed to get runtime container", container.error());
  }
  auto pod_spec = StrategicMerge(runtime->pod_spec, predictor.pod_spec);
  if (!pod_spec.has_value()) {
    return Invalid("Failed to consolidate serving runtime PodSpecs", "failed to consolidate serving runtime PodSpecs",
                   pod_spec.error());
  }
  auto replaced = ReplacePlaceholders(*container, metadata);
  if (!replaced.has_value()) {
    return Invalid("Failed to replace placeholders in serving runtime Container",
                   "failed to replace placeholders in serving runtime Container", replaced.error());
  }
  SetImageVersion(*replaced, model.runtime_version, pod.runtime);
  pod.pod_spec = *std::move(pod_spec);
  std::vector<Value>& containers = ListOf(pod.pod_spec, "containers");
  containers.insert(containers.begin(), *std::move(replaced));

  AnnotateStorage(model.storage_uri, model.storage, pod.annotations);
  pod.protocol_version = model.protocol_version.value_or("");
  // The service's labels and annotations win over the runtime's.
  metadata.labels.merge(StringMap(runtime->labels));
  pod.labels.merge(metadata.labels);
  pod.annotations.merge(StringMap(runtime->annotations));
  return pod;
}

}  // namespace inferd::model

#include <utility>

#include "kserve/model/pods/pod_parts.h"
#include "kserve/model/pods/pod_resolution.h"

namespace inferd::model {

namespace {

using manifest::Value;

constexpr std::string_view kHttpPort = "8080";
constexpr std::string_view kModelFolder = "/mnt/models";

void Append(std::vector<Value>& arguments, std::string_view name, std::string_view value) {
  arguments.push_back(Value::String(std::string(name)));
  arguments.push_back(Value::String(std::string(value)));
}

// Returns the standard arguments of an explainer with an image of the configuration (KServe 0.10: alibi, aix, art). Its
// own arguments follow.
std::vector<Value> ExplainerArguments(const InferenceService& service, const Explainer& explainer,
                                      const Explainer::Implementation& implementation) {
  std::vector<Value> arguments;
  Append(arguments, "--model_name", service.metadata.name);
  Append(arguments, "--http_port", kHttpPort);
  if (!HasArgument(implementation.container, "--predictor_host")) {
    Append(arguments, "--predictor_host", PredictorHost(service));
  }
  if (explainer.extension.container_concurrency.has_value()) {
    Append(arguments, "--workers", std::to_string(*explainer.extension.container_concurrency));
  }
  const bool has_files = implementation.storage_uri.has_value() || implementation.storage.has_value();
  if (has_files) Append(arguments, "--storage_uri", kModelFolder);
  if (!implementation.type.empty()) arguments.push_back(Value::String(implementation.type));
  for (const auto& [name, value] : implementation.config) Append(arguments, "--" + name, value);
  const Value* own = implementation.container.Find("args");
  if (own != nullptr) arguments.insert(arguments.end(), own->items().begin(), own->items().end());
  return arguments;
}

// Adds the model's name and the predictor's address to the arguments of a transformer or explainer.
void TellOfPredictor(const InferenceService& service, const ComponentExtension& extension, Value& container) {
  const auto append_if_absent = [&](std::string_view name, std::string_view value) {
    if (!HasArgument(container, name)) Append(ListOf(container, "args"), name, value);
  };
  append_if_absent("--model_name", service.metadata.name);
  append_if_absent("--predictor_host", PredictorHost(service));
  append_if_absent("--http_port", kHttpPort);
  if (extension.container_concurrency.has_value()) {
    append_if_absent("--workers", std::to_string(*extension.container_concurrency));
  }
}

// Returns the pods of a custom transformer or explainer, which has its own containers.
ResolvedPod CustomPod(const InferenceService& service, ComponentKind kind, const Component& component) {
  ResolvedPod pod = BeginPod(service, kind, component.extension);
  pod.pod_spec = component.pod_spec;
  std::vector<Value>& containers = ListOf(pod.pod_spec, "containers");
  if (containers.empty()) return pod;
  TellOfPredictor(service, component.extension, containers.front());
  AnnotateCustomStorage(containers.front(), pod.annotations);
  return pod;
}

}  // namespace

ResolvedPod ResolveTransformer(const InferenceService& service, const Component& transformer) {
  return CustomPod(service, ComponentKind::kTransformer, transformer);
}

std::expected<ResolvedPod, ResolutionFailure> ResolveExplainer(const InferenceService& service,
                                                               const Explainer& explainer,
                                                               const InferenceServiceConfig& config) {
  if (explainer.implementations.empty()) return CustomPod(service, ComponentKind::kExplainer, explainer);
  ResolvedPod pod = BeginPod(service, ComponentKind::kExplainer, explainer.extension);
  pod.pod_spec = explainer.pod_spec;
  const Explainer::Implementation& implementation = explainer.implementations.front();
  pod.explainer = implementation.kind;
  Value container = implementation.container;
  container.Set("name", Value::String("kserve-container"));
  container.Set("args", Value::List(ExplainerArguments(service, explainer, implementation)));
  if (container.Find("image") == nullptr) {
    const auto image = config.explainers.find(implementation.kind);
    if (image == config.explainers.end() || image->second.image.empty()) {
      const std::string why = "the configuration has no image for the explainer " + implementation.kind;
      return std::unexpected(ResolutionFailure{"InvalidExplainerSpec", why, why});
    }
    const std::string version = implementation.runtime_version.value_or(image->second.default_version);
    container.Set("image", Value::String(image->second.image + ":" + version));
  }
  std::vector<Value>& containers = ListOf(pod.pod_spec, "containers");
  containers.insert(containers.begin(), std::move(container));
  AnnotateStorage(implementation.storage_uri, implementation.storage, pod.annotations);
  return pod;
}

}  // namespace inferd::model

#include "kserve/model/reconcile/desired_objects.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <string>
#include <utility>

#include "kserve/model/pods/inject/pod_injection.h"
#include "kserve/model/pods/model_config.h"
#include "kserve/model/reconcile/object_parts.h"
#include "kserve/model/reconcile/outside_routes.h"
#include "kserve/model/reconcile/raw_objects.h"
#include "kserve/model/reconcile/serverless_objects.h"
#include "kserve/model/resolve/defaulting.h"
#include "kserve/model/resolve/runtime_selection.h"
#include "kserve/model/status/trained_model_status.h"

namespace inferd::model {

namespace {

using Failure = ResolutionFailure;

std::unexpected<Failure> InvalidConfig(const base::Status& status) {
  return std::unexpected(Failure::Saying("InvalidConfig", status.message()));
}

// Appends the pods of each component, and sets the predictor's runtime. Returns the first failure, if any.
std::optional<Failure> ResolvePods(const InferenceService& service, std::span<const ServingRuntime* const> runtimes,
                                   const InferenceServiceConfig& config, DesiredObjects& desired) {
  const auto append = [&](std::expected<ResolvedPod, Failure> pod) -> std::optional<Failure> {
    if (!pod.has_value()) return std::move(pod).error();
    desired.pods.push_back(*std::move(pod));
    return std::nullopt;
  };
  if (service.predictor.model.has_value()) {
    RuntimeSelection selection = SelectRuntime(*service.predictor.model, service.metadata.namespace_name, runtimes);
    desired.runtime = selection.runtime;
    if (desired.runtime == nullptr) {
      return Failure{selection.failure_reason, selection.failure_message, selection.failure_event,
                     selection.failure_details};
    }
    auto pod = ResolvePredictor(service, desired.runtime);
    if (pod.has_value() && pod->protocol_version.empty()) pod->protocol_version = selection.protocol_version;
    if (auto failure = append(std::move(pod))) return failure;
  } else if (auto failure = append(ResolvePredictor(service, nullptr))) {
    return failure;
  }
  if (service.transformer.has_value()) desired.pods.push_back(ResolveTransformer(service, *service.transformer));
  if (!service.explainer.has_value()) return std::nullopt;
  return append(ResolveExplainer(service, *service.explainer, config));
}

// Returns the pod for the template of a Deployment or a revision. Sets `lacks` to true if the template lacks injected
// parts.
std::expected<ResolvedPod, Failure> TemplatePodOf(const ResolvedPod& pod, DeploymentMode mode,
                                                  const InferenceServiceConfig& config,
                                                  const std::optional<TemplateInjection>& injection, bool& lacks) {
  const bool raw = mode == DeploymentMode::kRawDeployment;
  ResolvedPod made = pod;
  made.pod_spec = raw ? WithReadinessProbe(pod.pod_spec) : WithRevisionProbe(pod.pod_spec);
  if (!injection.has_value()) return made;
  const bool whole = raw || injection->revisions;
  const PodForm form = raw ? PodForm::kPod : PodForm::kRevision;
  auto injected = InjectPod(made, {.config = config, .find = injection->find, .form = form});
  if (injected.has_value()) {
    lacks |= !whole && injected->pod_spec != made.pod_spec;
    return whole ? *std::move(injected) : std::move(made);
  }
  std::string kind(ComponentKindName(pod.kind));
  kind.front() = static_cast<char>(std::toupper(kind.front()));
  return std::unexpected(Failure{"Invalid" + kind + "Spec", injected.error().message(), injected.error().message()});
}

// Returns the ConfigMap of the TrainedModels. It leaves out models that are unusable or do not fit in memory. Their
// statuses report that.
manifest::Value ModelConfigOf(const InferenceService& service, std::span<const ResolvedPod> pods,
                              std::span<const TrainedModel* const> models) {
  std::vector<const TrainedModel*> own;
  std::ranges::copy_if(models, std::back_inserter(own), [&](const TrainedModel* model) {
    return model->fault.empty() && model->inference_service == service.metadata.name &&
           model->metadata.namespace_name == service.metadata.namespace_name;
  });
  const std::vector<bool> fit = FitInMemory(own, MemoryLimitOf(pods.front().pod_spec));
  std::vector<const TrainedModel*> listed;
  for (size_t i = 0; i < own.size(); ++i) {
    if (fit[i]) listed.push_back(own[i]);
  }
  manifest::Value object = BeginObject("v1", "ConfigMap", ModelConfigName(service), service, {}, {});
  object.Set("data", manifest::Value::Map({{"models.json", Text(ModelsJson(service, listed))}}));
  return object;
}

}  // namespace

std::expected<DesiredObjects, Failure> MakeDesiredObjects(const InferenceService& service,
                                                          std::span<const ServingRuntime* const> runtimes,
                                                          std::span<const TrainedModel* const> models,
                                                          const InferenceServiceConfig& config,
                                                          const std::map<ComponentKind, Rollout>& rollouts,
                                                          const std::optional<TemplateInjection>& injection) {
  const InferenceService defaulted = ApplyDefaults(service, config);
  DesiredObjects desired;
  desired.mode = DeploymentModeOf(defaulted, config);
  if (desired.mode == DeploymentMode::kModelMesh) {
    return InvalidConfig(base::Unimplemented("the deployment mode ModelMesh is not supported"));
  }
  if (auto failure = ResolvePods(defaulted, runtimes, config, desired)) return std::unexpected(*std::move(failure));

  std::vector<manifest::Value>& objects = desired.objects;
  if (IsMultiModel(defaulted)) objects.push_back(ModelConfigOf(defaulted, desired.pods, models));
  const bool raw = desired.mode == DeploymentMode::kRawDeployment;
  for (const ResolvedPod& pod : desired.pods) {
    auto in_template = TemplatePodOf(pod, desired.mode, config, injection, desired.needs_pod_webhook);
    if (!in_template.has_value()) return std::unexpected(std::move(in_template).error());
    if (raw) {
      std::ranges::move(RawPodObjects(defaulted, pod, *in_template, ComponentObjectName(defaulted, pod.kind)),
                        std::back_inserter(objects));
    } else {
      const auto rollout = rollouts.find(pod.kind);
      objects.push_back(KnativeServiceOf(defaulted, ComponentObjectName(defaulted, pod.kind), *in_template,
                                         rollout == rollouts.end() ? Rollout() : rollout->second));
    }
  }
  if (raw) {
    if (const ResolvedPod* const entry = EntryPod(desired.pods)) objects.push_back(EntryServiceOf(defaulted, *entry));
    auto routes = OutsideRoutes(defaulted, desired.pods, config);
    if (!routes.has_value()) return InvalidConfig(routes.error());
    std::ranges::move(*routes, std::back_inserter(objects));
    return desired;
  }
  if (config.ingress.disable_virtual_service) return desired;
  auto virtual_service = VirtualServiceOf(defaulted, desired.pods, config);
  if (!virtual_service.has_value()) return InvalidConfig(virtual_service.error());
  objects.push_back(*std::move(virtual_service));
  objects.push_back(GatewayAliasOf(defaulted, config));
  return desired;
}

}  // namespace inferd::model

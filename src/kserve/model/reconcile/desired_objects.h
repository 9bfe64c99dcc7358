#pragma once

#include <expected>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "data/manifest/value.h"
#include "kserve/model/api/inference_service.h"
#include "kserve/model/api/inference_service_config.h"
#include "kserve/model/api/serving_runtime.h"
#include "kserve/model/api/trained_model.h"
#include "kserve/model/pods/pod_resolution.h"
#include "kserve/model/pods/storage_initializer.h"
#include "kserve/model/resolve/traffic.h"

namespace inferd::model {

// The objects that a service needs.
struct DesiredObjects {
  DeploymentMode mode = DeploymentMode::kServerless;
  std::vector<ResolvedPod> pods;            // of each component, the predictor's first, before injection
  std::vector<manifest::Value> objects;     // in the order of their creation
  const ServingRuntime* runtime = nullptr;  // the predictor's, from the given runtimes; null for a custom predictor
  // True if a template lacks injected parts, so that the pod webhook must add them (see TemplateInjection).
  bool needs_pod_webhook = false;
};

// How pod templates get the parts that KServe's webhook injects into pods (pods/inject/pod_injection.h).
struct TemplateInjection {
  FindPodObject find;  // finds Secrets and ServiceAccounts of the service's namespace; empty if there are none
  // True if templates of Knative's revisions get them too. Knative accepts init containers and claims only if its
  // features allow them (config-features: kubernetes.podspec-init-containers,
  // kubernetes.podspec-persistent-volume-claim). If they do not, set false, and the webhook injects into these pods.
  bool revisions = true;
};

// Returns all objects of a valid service, which is given as written, without defaults. The runtime is selected among
// `runtimes`. `rollouts` has the rollouts of components that have run before. Without `injection`, nothing is injected
// into pods.
//
// In raw mode (`serving.kserve.io/deploymentMode`, or the configuration's default), each component gets a Deployment, a
// Service and a HorizontalPodAutoscaler (unless the autoscaler class is another). The service gets a Service of its own
// name, and its routes from outside (outside_routes.h). In serverless mode, each component gets a Knative Service, and
// the service a VirtualService and a Service, unless the configuration disables them. In both modes, a predictor
// without a model of its own gets a ConfigMap of its TrainedModels among `models`. Thread-safe.
std::expected<DesiredObjects, ResolutionFailure> MakeDesiredObjects(
    const InferenceService& service, std::span<const ServingRuntime* const> runtimes,
    std::span<const TrainedModel* const> models, const InferenceServiceConfig& config,
    const std::map<ComponentKind, Rollout>& rollouts, const std::optional<TemplateInjection>& injection = std::nullopt);

}  // namespace inferd::model

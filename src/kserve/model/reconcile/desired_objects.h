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

// What is to be there for a service.
struct DesiredObjects {
  DeploymentMode mode = DeploymentMode::kServerless;
  std::vector<ResolvedPod> pods;            // of each component, the predictor's first; nothing is injected into them
  std::vector<manifest::Value> objects;     // in the order in which they are made
  const ServingRuntime* runtime = nullptr;  // of the predictor, among those that were given; null: it is custom
  // A template lacks what its pods are to be given, so that the webhook for pods is needed (TemplateInjection).
  bool needs_pod_webhook = false;
};

// How the templates of pods have what KServe's webhook puts into pods (pods/inject/pod_injection.h).
struct TemplateInjection {
  FindPodObject find;  // Secrets and ServiceAccounts of the service's namespace; empty: there are none
  // Knative's revisions, too. Knative takes their init containers and claims only where its features allow them
  // (config-features: kubernetes.podspec-init-containers, kubernetes.podspec-persistent-volume-claim); where they do
  // not, false leaves these pods to the webhook.
  bool revisions = true;
};

// All objects of a valid service, as it stands in its file, without defaults: its runtime is selected among `runtimes`.
// `rollouts` are those of the components that have run before. Without `injection`, nothing is put into pods.
//
// In raw mode (`serving.kserve.io/deploymentMode`, or the configuration's default) a Deployment, a Service and, unless
// the service's autoscaler class is another, a HorizontalPodAutoscaler for each component; a Service of the service's
// own name, and what leads to it from outside (outside_routes.h). In serverless mode a Knative Service for each, a
// VirtualService and a Service, unless the configuration disables them. In both a ConfigMap of the models among
// `models` that come and go in a predictor without one of its own. Thread-safe.
std::expected<DesiredObjects, ResolutionFailure> MakeDesiredObjects(
    const InferenceService& service, std::span<const ServingRuntime* const> runtimes,
    std::span<const TrainedModel* const> models, const InferenceServiceConfig& config,
    const std::map<ComponentKind, Rollout>& rollouts, const std::optional<TemplateInjection>& injection = std::nullopt);

}  // namespace inferd::model

#pragma once

#include <expected>
#include <map>
#include <span>
#include <vector>

#include "controlplane/api/inference_service.h"
#include "controlplane/api/inference_service_config.h"
#include "controlplane/api/serving_runtime.h"
#include "controlplane/api/trained_model.h"
#include "controlplane/pods/pod_resolution.h"
#include "controlplane/resolve/traffic.h"
#include "manifest/value.h"

namespace inferd::controlplane {

// What is to be there for a service.
struct DesiredObjects {
  DeploymentMode mode = DeploymentMode::kServerless;
  std::vector<ResolvedPod> pods;         // of each component, the predictor's first
  std::vector<manifest::Value> objects;  // in the order in which they are made
};

// All objects of a valid service, as it stands in its file, without defaults: its runtime is selected among `runtimes`.
// `rollouts` are those of the components that have run before.
//
// In raw mode (`serving.kserve.io/deploymentMode`, or the configuration's default) a Deployment, a Service and a
// HorizontalPodAutoscaler for each component, and an Ingress; in serverless mode a Knative Service for each, a
// VirtualService and a Service, unless the configuration disables them; in both a ConfigMap of the models among
// `models` that come and go in a predictor without one of its own. Thread-safe.
std::expected<DesiredObjects, ResolutionFailure> MakeDesiredObjects(const InferenceService& service,
                                                                    std::span<const ServingRuntime* const> runtimes,
                                                                    std::span<const TrainedModel* const> models,
                                                                    const InferenceServiceConfig& config,
                                                                    const std::map<ComponentKind, Rollout>& rollouts);

}  // namespace inferd::controlplane

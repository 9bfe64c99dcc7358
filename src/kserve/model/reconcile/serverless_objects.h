#pragma once

#include <span>
#include <string>

#include "base/status.h"
#include "data/manifest/value.h"
#include "kserve/model/api/inference_service.h"
#include "kserve/model/api/inference_service_config.h"
#include "kserve/model/pods/pod_resolution.h"
#include "kserve/model/reconcile/object_parts.h"
#include "kserve/model/resolve/traffic.h"

namespace inferd::model {

// The objects of a service in serverless mode (KServe 0.10). All functions are thread-safe.

// Returns the Knative Service of a component or a graph. It has the pod template after injection, the scaling settings
// as annotations, and the split of requests between the latest revision and the one that was rolled out before.
manifest::Value KnativeServiceOf(const ObjectOwner& owner, const std::string& name, const ResolvedPod& pod,
                                 const Rollout& rollout);

// Returns the pod's own annotations, and those that tell Knative how to scale.
StringMap RevisionAnnotations(const ResolvedPod& pod);

// Returns the VirtualService that routes the service's hosts to its components, through the configuration's local
// gateway: V1's `:explain` to the explainer, all else to the transformer or, without one, to the predictor.
// INVALID_ARGUMENT if the configuration's templates are invalid, or if it names no gateways.
base::Result<manifest::Value> VirtualServiceOf(const InferenceService& service, std::span<const ResolvedPod> pods,
                                               const InferenceServiceConfig& config);

// Returns a Service that makes the service's name an alias of the local gateway within the cluster.
manifest::Value GatewayAliasOf(const InferenceService& service, const InferenceServiceConfig& config);

}  // namespace inferd::model

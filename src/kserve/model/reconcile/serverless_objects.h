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

// The objects of a service in serverless mode (KServe 0.10). Thread-safe, all of them.

// The Knative Service of a component or of a graph: a revision of its pods, with all that is injected into them, the
// numbers of them as annotations, and how requests are split between the latest revision and the one that was rolled
// out before.
manifest::Value KnativeServiceOf(const ObjectOwner& owner, const std::string& name, const ResolvedPod& pod,
                                 const Rollout& rollout);

// Annotations of its pods: their own, and those of the extension by which Knative scales.
StringMap RevisionAnnotations(const ResolvedPod& pod);

// The VirtualService that leads the service's hosts to its components, by way of the configuration's local gateway:
// `:explain` of V1 to the explainer, all else to the transformer or, without one, the predictor. INVALID_ARGUMENT: the
// configuration's templates, or that it names no gateways.
base::Result<manifest::Value> VirtualServiceOf(const InferenceService& service, std::span<const ResolvedPod> pods,
                                               const InferenceServiceConfig& config);

// The name of the service within the cluster: a Service that stands for the local gateway's.
manifest::Value GatewayAliasOf(const InferenceService& service, const InferenceServiceConfig& config);

}  // namespace inferd::model

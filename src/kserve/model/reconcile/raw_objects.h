#pragma once

#include <string>
#include <vector>

#include "data/manifest/value.h"
#include "kserve/model/api/inference_service.h"
#include "kserve/model/pods/pod_resolution.h"
#include "kserve/model/reconcile/object_parts.h"

namespace inferd::model {

// The objects of a service in raw mode (KServe 0.10: RawDeployment). Thread-safe, all of them.

// Under a name, such as a component's or a graph's: a Deployment, a Service and, unless its class is another, a
// HorizontalPodAutoscaler (autoscaling/v2, as Kubernetes has it since 1.26). The Deployment says of replicas only where
// there is no autoscaler at all
// (`serving.kserve.io/autoscalerClass: none`). `in_template` is the pod with all that is injected into it.
std::vector<manifest::Value> RawPodObjects(const ObjectOwner& owner, const ResolvedPod& pod,
                                           const ResolvedPod& in_template, const std::string& name);

// Parts of it.
manifest::Value DeploymentOf(const ObjectOwner& owner, const ResolvedPod& pod, const ResolvedPod& in_template,
                             const std::string& name);
manifest::Value AutoscalerOf(const ObjectOwner& owner, const ResolvedPod& pod, const std::string& name);

// The Service of the service's own name, which leads to the transformer or, without one, the predictor: the address
// within the cluster that the status says (KServe 0.10 says it, and has no such Service).
manifest::Value EntryServiceOf(const InferenceService& service, const ResolvedPod& entry);

}  // namespace inferd::model

#pragma once

#include <string>
#include <vector>

#include "controlplane/api/inference_service.h"
#include "controlplane/pods/pod_resolution.h"
#include "manifest/value.h"

namespace inferd::controlplane {

// The objects of a service in raw mode (KServe 0.10: RawDeployment). Thread-safe, all of them.

// Of a component: a Deployment, a Service and, unless its class is another, a HorizontalPodAutoscaler (autoscaling/v2,
// as Kubernetes has it since 1.26). The Deployment says of replicas only where there is no autoscaler at all
// (`serving.kserve.io/autoscalerClass: none`). `in_template` is the pod with all that is injected into it.
std::vector<manifest::Value> RawComponentObjects(const InferenceService& service, const ResolvedPod& pod,
                                                 const ResolvedPod& in_template);

// Parts of it, under another name than the component's, such as a revision's.
manifest::Value DeploymentOf(const InferenceService& service, const ResolvedPod& pod, const ResolvedPod& in_template,
                             const std::string& name);
manifest::Value AutoscalerOf(const InferenceService& service, const ResolvedPod& pod, const std::string& name);

// The Service of the service's own name, which leads to the transformer or, without one, the predictor: the address
// within the cluster that the status says (KServe 0.10 says it, and has no such Service).
manifest::Value EntryServiceOf(const InferenceService& service, const ResolvedPod& entry);

}  // namespace inferd::controlplane

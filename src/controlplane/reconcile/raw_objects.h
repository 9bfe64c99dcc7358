#pragma once

#include <span>
#include <vector>

#include "base/status.h"
#include "controlplane/api/inference_service.h"
#include "controlplane/api/inference_service_config.h"
#include "controlplane/pods/pod_resolution.h"
#include "manifest/value.h"

namespace inferd::controlplane {

// The objects of a service in raw mode (KServe 0.10: RawDeployment). Thread-safe, all of them.

// Of a component: a Deployment, a Service and a HorizontalPodAutoscaler (autoscaling/v2, as Kubernetes has it
// since 1.26). The Deployment says nothing of replicas, which are the autoscaler's.
// Parts of it, under another name than the component's, such as a revision's.
manifest::Value DeploymentOf(const InferenceService& service, const ResolvedPod& pod, const std::string& name);
manifest::Value AutoscalerOf(const InferenceService& service, const ResolvedPod& pod, const std::string& name);
std::vector<manifest::Value> RawComponentObjects(const InferenceService& service, const ResolvedPod& pod);

// The Ingress that leads to the components: the service's host to the transformer or, without one, the predictor; and a
// host for each component. INVALID_ARGUMENT: the configuration's domainTemplate makes no domain name.
base::Result<manifest::Value> RawIngress(const InferenceService& service, std::span<const ResolvedPod> pods,
                                         const InferenceServiceConfig& config);

}  // namespace inferd::controlplane

#pragma once

#include <string>
#include <vector>

#include "data/manifest/value.h"
#include "kserve/model/api/inference_service.h"
#include "kserve/model/pods/pod_resolution.h"
#include "kserve/model/reconcile/object_parts.h"

namespace inferd::model {

// The objects of a service in raw mode (KServe 0.10: RawDeployment). All functions are thread-safe.

// Returns the objects of one pod (a component or a graph's router) under `name`: a Deployment, a Service and, unless
// the autoscaler class is another, a HorizontalPodAutoscaler (autoscaling/v2, as in Kubernetes since 1.26). The
// Deployment sets `replicas` only if nothing scales it (`serving.kserve.io/autoscalerClass: none`). `in_template` is
// the pod after injection.
std::vector<manifest::Value> RawPodObjects(const ObjectOwner& owner, const ResolvedPod& pod,
                                           const ResolvedPod& in_template, const std::string& name);

// Return single objects of RawPodObjects.
manifest::Value DeploymentOf(const ObjectOwner& owner, const ResolvedPod& pod, const ResolvedPod& in_template,
                             const std::string& name);
manifest::Value AutoscalerOf(const ObjectOwner& owner, const ResolvedPod& pod, const std::string& name);

// Returns the Service with the service's own name, which leads to the transformer or, without one, to the predictor.
// The status names it as the address within the cluster. KServe 0.10 names that address too, but creates no such
// Service.
manifest::Value EntryServiceOf(const InferenceService& service, const ResolvedPod& entry);

}  // namespace inferd::model

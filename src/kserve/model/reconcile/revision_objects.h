#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/manifest/value.h"
#include "kserve/model/api/inference_service.h"
#include "kserve/model/api/inference_service_config.h"
#include "kserve/model/pods/pod_resolution.h"
#include "kserve/model/scale/knative_settings.h"

namespace inferd::model {

// Revisions of a component in a cluster without Knative. Each revision is a Deployment and a Service. The Deployment
// has Knative's labels and annotations, which hold all data of the revision. The EndpointSlices of the Service list its
// pods.
//
//   Deployment iris-predictor-default-00002
//     labels: {serving.knative.dev/revision: iris-predictor-default-00002, ...}
//     annotations: {autoscaling.knative.dev/min-scale: "0", serving.inferd.io/made-of: 6f5902ac237024bd, ...}
//
// All functions are thread-safe.

// The measure that decides a revision's number of pods: its requests, which the gateway counts, or the resource usage
// of its pods, which a Kubernetes autoscaler measures.
enum class RevisionScaling { kByRequests, kByUsage };

RevisionScaling RevisionScalingOf(DeploymentMode mode, const ResolvedPod& pod);

// Returns "iris-predictor-default-00002".
std::string RevisionName(std::string_view component, int64_t number);

// Returns a hash that is equal for pods of the same revision. It covers the pod template with the bounds of Knative's
// scaling. It does not cover the bounds of a Kubernetes autoscaler, or the fixed number of pods: these change in place.
std::string MadeOf(const InferenceService& service, const ResolvedPod& pod, DeploymentMode mode);

// Returns a Deployment, a Service and, if pods are scaled by usage, a HorizontalPodAutoscaler. The Deployment does not
// set `replicas`.
std::vector<manifest::Value> RevisionObjects(const InferenceService& service, const ResolvedPod& pod,
                                             DeploymentMode mode, int64_t number);

// A revision, as read from its Deployment.
struct LiveRevision {
  std::string name;
  std::string namespace_name;
  std::string component;  // "iris-predictor-default"
  int64_t number = 0;
  std::string service;  // "iris"
  std::string service_uid;
  std::string made_of;  // MadeOf() of its pods
  KnativeSettings settings;
  std::chrono::seconds timeout{300};  // until a response begins
  RevisionScaling scaling = RevisionScaling::kByRequests;
  int64_t replicas = 1;  // wanted
  int64_t ready = 0;     // ready now
  std::string resource_version;
};

// Reads a revision. nullopt if the Deployment belongs to no revision. Annotations that Knative would refuse are
// ignored, and the defaults apply.
std::optional<LiveRevision> ReadRevision(const manifest::Value& deployment);

}  // namespace inferd::model

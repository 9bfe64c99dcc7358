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

// Revisions of a component in a cluster without Knative: each is a Deployment with Knative's labels and annotations,
// which says all that is to be known of it, and a Service of its own, whose EndpointSlices are its pods.
//
//   Deployment iris-predictor-default-00002
//     labels: {serving.knative.dev/revision: iris-predictor-default-00002, ...}
//     annotations: {autoscaling.knative.dev/min-scale: "0", serving.inferd.io/made-of: 6f5902ac237024bd, ...}
//
// Thread-safe, all of them.

// How many pods a revision has: by its requests, which the gateway counts; or by what pods use, which an autoscaler of
// Kubernetes does.
enum class RevisionScaling { kByRequests, kByUsage };

RevisionScaling RevisionScalingOf(DeploymentMode mode, const ResolvedPod& pod);

// "iris-predictor-default-00002".
std::string RevisionName(std::string_view component, int64_t number);

// What tells whether two pods are of one revision: their template, which has the bounds of Knative's scaling, too.
// Those of an autoscaler of Kubernetes, or the number of pods where there is none, change in place.
std::string MadeOf(const InferenceService& service, const ResolvedPod& pod, DeploymentMode mode);

// A Deployment, a Service and, where it is scaled by what pods use, a HorizontalPodAutoscaler. The Deployment says
// nothing of replicas.
std::vector<manifest::Value> RevisionObjects(const InferenceService& service, const ResolvedPod& pod,
                                             DeploymentMode mode, int64_t number);

// A revision as its Deployment has it.
struct LiveRevision {
  std::string name;
  std::string namespace_name;
  std::string component;  // "iris-predictor-default"
  int64_t number = 0;
  std::string service;  // "iris"
  std::string service_uid;
  std::string made_of;  // MadeOf() of its pods
  KnativeSettings settings;
  std::chrono::seconds timeout{300};  // until a response has begun
  RevisionScaling scaling = RevisionScaling::kByRequests;
  int64_t replicas = 1;  // that it is to have
  int64_t ready = 0;     // that it has
  std::string resource_version;
};

// nullopt: the Deployment is none of a revision. Annotations that Knative would refuse leave the defaults.
std::optional<LiveRevision> ReadRevision(const manifest::Value& deployment);

}  // namespace inferd::model

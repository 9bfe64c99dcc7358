#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/manifest/value.h"
#include "kserve/model/api/inference_graph.h"
#include "kserve/model/api/inference_service.h"
#include "kserve/model/pods/pod_parts.h"
#include "kserve/model/pods/pod_resolution.h"

namespace inferd::model {

// V1's requests for explanations, as a regular expression.
inline constexpr std::string_view kExplainPath = "^/v1/models/[\\w-]+:explain$";

// What objects are made for, and go with: an InferenceService or an InferenceGraph, to which it refers.
struct ObjectOwner {
  ObjectOwner(const InferenceService& service)  // NOLINT(google-explicit-constructor): each is one
      : api_version("serving.kserve.io/v1beta1"), kind("InferenceService"), metadata(service.metadata) {}
  ObjectOwner(const InferenceGraph& graph)  // NOLINT(google-explicit-constructor)
      : api_version("serving.kserve.io/v1alpha1"), kind("InferenceGraph"), metadata(graph.metadata) {}

  std::string_view api_version, kind;
  const ObjectMeta& metadata;
};

// An object without a spec: it belongs to its owner, so that it goes with it. An owner that is in no cluster yet has no
// uid, and owns nothing.
manifest::Value BeginObject(std::string_view api_version, std::string_view kind, const std::string& name,
                            const ObjectOwner& owner, const StringMap& labels, const StringMap& annotations);

// The pod's, with the label by which its Deployment, Service and autoscaler find it: app=isvc.<object>.
StringMap SelectedLabels(const ResolvedPod& pod, const std::string& object_name);
manifest::Value Selector(const std::string& object_name);

// The pod's spec with a readiness probe of its first container, where it has none: a connection to its first port, or
// to 8080.
manifest::Value WithReadinessProbe(const manifest::Value& pod_spec);

// Likewise, where it is Knative that fills in the port.
manifest::Value WithRevisionProbe(const manifest::Value& pod_spec);

// The first container's ports; null: none.
const manifest::Value* FirstPorts(const manifest::Value& pod_spec);

// The ports of a component's Service, whose name is `name`: those of its first container, or 80 for its 8080. Where an
// agent stands in front, the first leads to it.
std::vector<manifest::Value> ServicePorts(const ResolvedPod& pod, const std::string& name);

// The component that a service's requests come to: the transformer or, without one, the predictor; null: there is none.
const ResolvedPod* EntryPod(std::span<const ResolvedPod> pods);

}  // namespace inferd::model

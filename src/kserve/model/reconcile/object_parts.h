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

// The path of V1's explain requests, as a regular expression.
inline constexpr std::string_view kExplainPath = "^/v1/models/[\\w-]+:explain$";

// The owner of objects: an InferenceService or an InferenceGraph. Refers to its metadata. Objects are deleted with
// their owner.
struct ObjectOwner {
  ObjectOwner(const InferenceService& service)  // NOLINT(google-explicit-constructor): each is one
      : api_version("serving.kserve.io/v1beta1"), kind("InferenceService"), metadata(service.metadata) {}
  ObjectOwner(const InferenceGraph& graph)  // NOLINT(google-explicit-constructor)
      : api_version("serving.kserve.io/v1alpha1"), kind("InferenceGraph"), metadata(graph.metadata) {}

  std::string_view api_version, kind;
  const ObjectMeta& metadata;
};

// Returns an object without a spec, with an owner reference, so that it is deleted with its owner. An owner without a
// uid is not in a cluster yet, and the object gets no reference.
manifest::Value BeginObject(std::string_view api_version, std::string_view kind, const std::string& name,
                            const ObjectOwner& owner, const StringMap& labels, const StringMap& annotations);

// Returns the pod's labels, with the label that its Deployment, Service and autoscaler select by: app=isvc.<object>.
StringMap SelectedLabels(const ResolvedPod& pod, const std::string& object_name);
manifest::Value Selector(const std::string& object_name);

// Returns the pod's spec with a readiness probe of its first container. Keeps an existing probe. The default is a
// connection to its first port, or to 8080; probes with nothing but timings get it, too.
manifest::Value WithReadinessProbe(const manifest::Value& pod_spec);

// Does the same for Knative, which fills in the port.
manifest::Value WithRevisionProbe(const manifest::Value& pod_spec);

// Returns the first container's ports. Null if it has none.
const manifest::Value* FirstPorts(const manifest::Value& pod_spec);

// Returns the ports of a component's Service called `name`: those of the first container, or 80 for 8080 if it has
// none. If an agent stands in front, the first port leads to the agent.
std::vector<manifest::Value> ServicePorts(const ResolvedPod& pod, const std::string& name);

// Returns the component that receives a service's requests: the transformer or, without one, the predictor. Null if
// there is none.
const ResolvedPod* EntryPod(std::span<const ResolvedPod> pods);

}  // namespace inferd::model

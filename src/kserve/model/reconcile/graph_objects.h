#pragma once

#include <expected>
#include <span>
#include <string>
#include <vector>

#include "data/manifest/value.h"
#include "kserve/model/api/inference_graph.h"
#include "kserve/model/api/inference_service_config.h"
#include "kserve/model/api/object.h"
#include "kserve/model/pods/pod_resolution.h"
#include "kserve/model/reconcile/graph_router.h"
#include "kserve/model/resolve/review.h"

namespace inferd::model {

// What is to be there for a graph.
struct GraphObjects {
  bool knative = false;                  // its router is a Knative Service, which says the URL; else a Deployment
  std::string url = {};                  // where it is asked, of a Deployment
  std::vector<manifest::Value> objects;  // in the order in which they are made
};

// All objects of a valid graph: its router, and what leads to it. In serverless mode in a cluster that has Knative, a
// Knative Service. Else a Deployment, a Service and, unless its autoscaler class is another, a HorizontalPodAutoscaler,
// and what leads to it from outside (outside_routes.h), all of them of the graph's name.
//
// Failures are those of RouterGraphJson, and InvalidName (too long for the labels of pods), UnsupportedUrl (a step that
// inferd's router cannot ask), InvalidDeploymentMode (ModelMesh) and InvalidConfig. Thread-safe, as is the other.
std::expected<GraphObjects, ResolutionFailure> MakeGraphObjects(const InferenceGraph& graph,
                                                                const InferenceServiceConfig& config, bool has_knative,
                                                                const FindStepService& find);

// The objects that a graph would have in a cluster with Knative that has nothing but `objects`: the InferenceServices
// that its steps name are among them, and have their addresses.
std::expected<GraphObjects, ResolutionFailure> RenderGraph(const InferenceGraph& graph,
                                                           std::span<const Object* const> objects,
                                                           const ReviewContext& context);

}  // namespace inferd::model

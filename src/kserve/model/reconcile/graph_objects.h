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

// The objects that a graph needs.
struct GraphObjects {
  bool knative = false;                  // the router is a Knative Service, which reports the URL; else a Deployment
  std::string url = {};                  // of a Deployment: the URL that requests are sent to
  std::vector<manifest::Value> objects;  // in the order of their creation
};

// Returns all objects of a valid graph: its router, and the routes to it. In serverless mode in a cluster with Knative,
// the router is a Knative Service. Else there are a Deployment, a Service, a HorizontalPodAutoscaler (unless the
// autoscaler class is another), and the routes from outside (outside_routes.h). All have the graph's name.
//
// Failures are those of RouterGraphJson, and InvalidName (too long for the labels of pods), UnsupportedUrl (inferd's
// router cannot call the URL of a step), InvalidDeploymentMode (ModelMesh) and InvalidConfig. Thread-safe, as is
// RenderGraph.
std::expected<GraphObjects, ResolutionFailure> MakeGraphObjects(const InferenceGraph& graph,
                                                                const InferenceServiceConfig& config, bool has_knative,
                                                                const FindStepService& find);

// Returns the objects of the graph in a cluster with Knative whose only objects are `objects`. The InferenceServices in
// `objects` count as ready, with their addresses.
std::expected<GraphObjects, ResolutionFailure> RenderGraph(const InferenceGraph& graph,
                                                           std::span<const Object* const> objects,
                                                           const ReviewContext& context);

}  // namespace inferd::model

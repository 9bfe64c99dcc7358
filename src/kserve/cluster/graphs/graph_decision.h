#pragma once

#include <optional>
#include <string>
#include <vector>

#include "data/manifest/value.h"
#include "kserve/cluster/objects/cluster_view.h"
#include "kserve/cluster/objects/object_set.h"
#include "kserve/cluster/services/served_way.h"
#include "kserve/model/api/inference_graph.h"
#include "kserve/model/pods/pod_resolution.h"
#include "kserve/model/reconcile/graph_objects.h"
#include "kserve/model/status/graph_status.h"

namespace inferd::cluster {

// By what is decided about an InferenceGraph, beside itself.
struct GraphContext {
  const Configuration& configuration;
  bool has_knative = false;      // serving.knative.dev/v1
  bool has_gateway_api = false;  // gateway.networking.k8s.io/v1
  ServedWay served{};            // how it is served now
  model::FindStepService find;
};

// What is to become of a graph.
struct GraphDecision {
  model::InferenceGraph graph;
  model::GraphObjects desired;                      // none where it has failed: what is there goes on
  std::optional<model::ResolutionFailure> failure;  // of a webhook's rules: InvalidGraph
  std::optional<model::ObservedCondition> routes;   // what is missing for them; nullopt: nothing is
};

// Decides about a graph as it stands in the cluster: reads and validates it, as the webhooks do where they are
// installed, and makes its objects. Pure; thread-safe, as is the other.
GraphDecision DecideGraph(const manifest::Value& document, const GraphContext& context);

// The state of a graph, as its router's Deployment or Knative Service and its pods are. `result`: of writing what was
// decided; what was written only now is not what runs yet.
model::GraphState ObserveGraph(const GraphDecision& decision, const std::vector<LabelledObject>& there,
                               const SetResult& result);

// Where an InferenceService (null: there is none) is asked within the cluster, once its status has an address: that of
// raw mode is without the model's path (KServe: GetPredictorEndpoint).
model::StepService StepServiceOf(const manifest::Value* service, const model::InferenceServiceConfig& config,
                                 const Runtimes& runtimes);

}  // namespace inferd::cluster

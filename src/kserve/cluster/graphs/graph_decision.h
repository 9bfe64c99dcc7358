#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "data/manifest/value.h"
#include "kserve/cluster/objects/cluster_view.h"
#include "kserve/cluster/objects/object_set.h"
#include "kserve/cluster/services/served_way.h"
#include "kserve/cluster/services/way_move.h"
#include "kserve/model/api/inference_graph.h"
#include "kserve/model/pods/pod_resolution.h"
#include "kserve/model/reconcile/graph_objects.h"
#include "kserve/model/status/graph_status.h"

namespace inferd::cluster {

// The inputs of a decision about an InferenceGraph, in addition to its document.
struct GraphContext {
  const Configuration& configuration;
  bool has_knative = false;                  // serving.knative.dev/v1
  bool has_gateway_api = false;              // gateway.networking.k8s.io/v1
  ServedWay served{};                        // the way in which it is served now
  const std::vector<LabelledObject>& there;  // its live objects, with its pods
  model::FindStepService find;
};

// The decision about a graph.
struct GraphDecision {
  model::InferenceGraph graph;
  model::GraphObjects desired;                       // empty after a failure; the live objects then stay
  std::optional<model::ResolutionFailure> failure;   // InvalidGraph if a webhook would deny the graph
  std::optional<model::ObservedCondition> routes;    // what its routes lack, if anything
  std::optional<model::ObservedCondition> kept_way;  // why it is not served as a new graph would be; nullopt if it is
  std::optional<WayMove> move;                       // set while objects of another kind of router remain
};

// Decides about a graph. Reads and validates its document, as the webhooks do where they are installed, and creates its
// objects. Pure; thread-safe, like the other functions of this file.
GraphDecision DecideGraph(const manifest::Value& document, const GraphContext& context);

// Returns the filter for ObjectSet::goes: which unwanted objects of the graph may be deleted now. Empty if all may.
// Refers to the decision.
std::function<bool(const LabelledObject&)> WhatGoes(const GraphDecision& decision);

// Computes a graph's state from the Deployment or Knative Service of its router and from its pods. `result` is the
// result of the last write: an object that was just written does not run yet.
model::GraphState ObserveGraph(const GraphDecision& decision, const std::vector<LabelledObject>& there,
                               const SetResult& result);

// Returns the address of an InferenceService within the cluster, once its status has an address. In raw mode the
// address lacks the model's path (KServe: GetPredictorEndpoint). `service` is null if there is none.
model::StepService StepServiceOf(const manifest::Value* service, const model::InferenceServiceConfig& config,
                                 const Runtimes& runtimes);

}  // namespace inferd::cluster

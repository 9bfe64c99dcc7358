#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "kserve/gateway/backend.h"
#include "kserve/gateway/graph/plan.h"
#include "kserve/model/api/inference_graph.h"

namespace inferd::clustergateway {

// A host and port that steps call, and the backend that receives its addresses.
struct NamedBackend {
  std::string host;
  uint16_t port = 80;
  std::shared_ptr<gateway::Backend> backend;
};

// A graph for the router: each step has a backend.
struct RouterGraph {
  graph::Plan plan;
  std::vector<NamedBackend> names;  // unique; steps with an IP address have no entry
};

// Parses the value of `--graph-json`: an InferenceGraph's spec, as KServe passes it to its router, or the whole object:
//
//   {"nodes":{"root":{"routerType":"Sequence","steps":[{"serviceUrl":"http://iris.default.svc.cluster.local/..."}]}}}
//
// If a step has both a serviceUrl and a serviceName, the URL is used. INVALID_ARGUMENT with the place if the text is no
// graph, or a step has no URL. Thread-safe, like MakeRouterGraph.
base::Result<model::InferenceGraph> ReadRouterGraph(std::string_view json);

// Creates backends for the steps. INVALID_ARGUMENT if a URL is invalid, or is an https URL.
base::Result<RouterGraph> MakeRouterGraph(const model::InferenceGraph& graph);

}  // namespace inferd::clustergateway

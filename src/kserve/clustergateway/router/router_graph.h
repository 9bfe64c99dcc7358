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

// A name with a port that steps ask, and the backend that has its addresses as soon as they are known.
struct NamedBackend {
  std::string host;
  uint16_t port = 80;
  std::shared_ptr<gateway::Backend> backend;
};

// A graph for a program that has nothing but it: each step leads to a backend.
struct RouterGraph {
  graph::Plan plan;
  std::vector<NamedBackend> names;  // each once; steps that have an IP address need none
};

// The graph of `--graph-json`, which is an InferenceGraph's spec, as KServe hands it to its router, or the whole
// object:
//
//   {"nodes":{"root":{"routerType":"Sequence","steps":[{"serviceUrl":"http://iris.default.svc.cluster.local/..."}]}}}
//
// A step that has a serviceUrl may have its serviceName, too: the URL counts. INVALID_ARGUMENT, with the place: it is
// no graph, or a step has no URL. Thread-safe, as is the other.
base::Result<model::InferenceGraph> ReadRouterGraph(std::string_view json);

// INVALID_ARGUMENT: a URL that is none, or https.
base::Result<RouterGraph> MakeRouterGraph(const model::InferenceGraph& graph);

}  // namespace inferd::clustergateway

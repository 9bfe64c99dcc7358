#pragma once

#include <functional>
#include <string>

#include "controller/component_runner.h"
#include "controlplane/api/inference_graph.h"
#include "controlplane/status/graph_status.h"
#include "gateway/route_table.h"

namespace inferd::controller {

// The URL of a service of that name, of a namespace; empty: there is none.
using FindServiceUrl = std::function<std::string(const std::string& namespace_name, const std::string& name)>;

// An InferenceGraph on this machine: routes that the gateway answers itself. Not thread-safe.
class GraphRunner final {
 public:
  GraphRunner(std::string name, RunnerServices services) : name_(std::move(name)), services_(std::move(services)) {}

  // The graph as it stands in its file, and valid.
  void Apply(const controlplane::InferenceGraph& graph) { graph_ = graph; }
  // By its hosts and its path; what of it cannot be run is said.
  // `table`: of the services.
  gateway::RouteList Routes(const gateway::RouteTable& table, const FindServiceUrl& find);
  // As of the last Routes().
  const controlplane::GraphState& state() const { return state_; }

 private:
  base::Status Add(const gateway::RouteTable& table, const FindServiceUrl& find, gateway::RouteList& routes);
  std::string UrlOf(const std::string& host) const;

  const std::string name_;  // "default/chain"
  const RunnerServices services_;
  controlplane::InferenceGraph graph_;
  controlplane::GraphState state_;
};

}  // namespace inferd::controller

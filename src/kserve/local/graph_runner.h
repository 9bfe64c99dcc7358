#pragma once

#include <functional>
#include <string>

#include "kserve/gateway/route_table.h"
#include "kserve/local/component_runner.h"
#include "kserve/model/api/inference_graph.h"
#include "kserve/model/status/graph_status.h"

namespace inferd::local {

// Returns the URL of a service. Empty if it does not exist.
using FindServiceUrl = std::function<std::string(const std::string& namespace_name, const std::string& name)>;

// An InferenceGraph on this machine. It consists of routes that the gateway itself answers. Not thread-safe.
class GraphRunner final {
 public:
  GraphRunner(std::string name, RunnerServices services) : name_(std::move(name)), services_(std::move(services)) {}

  // Sets the graph, which must be valid.
  void Apply(const model::InferenceGraph& graph) { graph_ = graph; }
  // Returns routes for the graph's hosts and path. Reports what cannot run. `table` has the routes of the services.
  gateway::RouteList Routes(const gateway::RouteTable& table, const FindServiceUrl& find);
  // Returns the state as of the last Routes().
  const model::GraphState& state() const { return state_; }

 private:
  base::Status Add(const gateway::RouteTable& table, const FindServiceUrl& find, gateway::RouteList& routes);
  std::string UrlOf(const std::string& host) const;

  const std::string name_;  // "default/chain"
  const RunnerServices services_;
  model::InferenceGraph graph_;
  model::GraphState state_;
};

}  // namespace inferd::local

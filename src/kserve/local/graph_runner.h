#pragma once

#include <functional>
#include <string>

#include "kserve/gateway/route_table.h"
#include "kserve/local/component_runner.h"
#include "kserve/model/api/inference_graph.h"
#include "kserve/model/status/graph_status.h"

namespace inferd::local {

// The URL of a service of that name, of a namespace; empty: there is none.
using FindServiceUrl = std::function<std::string(const std::string& namespace_name, const std::string& name)>;

// An InferenceGraph on this machine: routes that the gateway answers itself. Not thread-safe.
class GraphRunner final {
 public:
  GraphRunner(std::string name, RunnerServices services) : name_(std::move(name)), services_(std::move(services)) {}

  // The graph as it stands in its file, and valid.
  void Apply(const model::InferenceGraph& graph) { graph_ = graph; }
  // By its hosts and its path; what of it cannot be run is said.
  // `table`: of the services.
  gateway::RouteList Routes(const gateway::RouteTable& table, const FindServiceUrl& find);
  // As of the last Routes().
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

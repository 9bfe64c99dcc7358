#pragma once

#include <functional>
#include <string>

#include "controller/component_runner.h"
#include "controlplane/api/inference_graph.h"
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
  void AddRoutes(gateway::RouteTable& table, const FindServiceUrl& find);
  // Why it cannot be run as it stands; empty: it can. As of the last AddRoutes.
  const std::string& problem() const { return problem_; }

 private:
  base::Status Add(gateway::RouteTable& table, const FindServiceUrl& find);

  const std::string name_;  // "default/chain"
  const RunnerServices services_;
  controlplane::InferenceGraph graph_;
  std::string problem_;
};

}  // namespace inferd::controller

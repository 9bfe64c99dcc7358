#include "kserve/cluster/graphs/step_index.h"

#include <utility>

#include "kserve/model/api/inference_graph.h"

namespace inferd::cluster {

using kubernetes::ObjectName;

std::set<std::string> ServicesNamedBy(const manifest::Value& graph) {
  manifest::Problems problems;
  std::set<std::string> services;
  for (const auto& node : model::ReadInferenceGraph(graph, problems).nodes) {
    for (const auto& step : node.steps) {
      if (!step.service_name.empty()) services.insert(step.service_name);
    }
  }
  return services;
}

void StepIndex::Set(const ObjectName& graph, std::set<std::string> services) {
  const base::MutexLock lock(mutex_);
  std::set<std::string>& named = services_[graph];
  for (const std::string& before : named) {
    const auto found = graphs_.find({graph.namespace_name, before});
    found->second.erase(graph.name);
    if (found->second.empty()) graphs_.erase(found);
  }
  for (const std::string& service : services) graphs_[{graph.namespace_name, service}].insert(graph.name);
  if (services.empty()) {
    services_.erase(graph);
  } else {
    named = std::move(services);
  }
}

std::vector<ObjectName> StepIndex::GraphsOf(const ObjectName& service) const {
  std::vector<ObjectName> graphs;
  const base::MutexLock lock(mutex_);
  const auto found = graphs_.find(service);
  if (found == graphs_.end()) return graphs;
  for (const std::string& graph : found->second) graphs.push_back({service.namespace_name, graph});
  return graphs;
}

}  // namespace inferd::cluster

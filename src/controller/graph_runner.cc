#include "controller/graph_runner.h"

#include <chrono>
#include <memory>
#include <utility>

#include "controlplane/resolve/hosts.h"
#include "graph/graph_service.h"

namespace inferd::controller {

namespace {

base::Result<graph::GraphOptions> OptionsOf(const controlplane::InferenceGraph& graph,
                                            const controlplane::InferenceServiceConfig& config) {
  graph::GraphOptions options;
  for (const std::string& pattern : config.propagated_headers) {
    auto made = base::NamePattern::Create(pattern);
    if (!made.has_value()) return std::unexpected(made.error().WithContext("router.headers.propagate"));
    options.propagated.push_back(*std::move(made));
  }
  if (graph.timeout_s.has_value()) options.timeout = std::chrono::seconds(*graph.timeout_s);
  return options;
}

}  // namespace

void GraphRunner::AddRoutes(gateway::RouteTable& table, const FindServiceUrl& find) {
  std::string before = std::exchange(problem_, {});
  if (const base::Status added = Add(table, find); !added.ok()) problem_ = added.message();
  if (problem_ != before && !problem_.empty()) services_.say(true, name_ + ": " + problem_);
}

base::Status GraphRunner::Add(gateway::RouteTable& table, const FindServiceUrl& find) {
  const controlplane::ObjectMeta& metadata = graph_.metadata;
  INFERD_ASSIGN_OR_RETURN(graph::GraphOptions options, OptionsOf(graph_, services_.config));
  auto plan = graph::MakePlan(graph_, [&](const std::string& name) -> base::Result<std::string> {
    std::string url = find(metadata.namespace_name, name);
    if (!url.empty()) return url;
    // Its step fails, as long as it is not there.
    problem_ = "there is no InferenceService '" + name + "'";
    return "http://" + controlplane::ClusterHost(metadata, name);
  });
  if (!plan.has_value()) return plan.error();
  gateway::Route route;
  route.service = std::make_shared<graph::GraphService>(*std::move(plan), std::move(options));
  INFERD_ASSIGN_OR_RETURN(const std::string host,
                          controlplane::ExternalHost(metadata, metadata.name, services_.config));
  INFERD_ASSIGN_OR_RETURN(const std::string path, controlplane::ExternalPath(metadata, services_.config));
  const std::string cluster_host = controlplane::ClusterHost(metadata, metadata.name);
  if (table.HasOwnHost(cluster_host)) {
    return base::AlreadyExists("an InferenceService of that name has its hosts");
  }
  table.Add(host, route);
  table.Add(cluster_host, route);
  if (path.empty()) return base::OkStatus();
  for (const std::string& prefix : {path + "/", path}) {
    route.path_prefix = prefix;
    route.path_suffix = prefix == path ? path : "";
    table.Add("*", route);
  }
  return base::OkStatus();
}

}  // namespace inferd::controller

#include "kserve/local/graph_runner.h"

#include <memory>
#include <utility>

#include "kserve/gateway/graph/graph_service.h"
#include "kserve/model/resolve/hosts.h"

namespace inferd::local {

gateway::RouteList GraphRunner::Routes(const gateway::RouteTable& table, const FindServiceUrl& find) {
  gateway::RouteList routes;
  const std::string before = std::exchange(state_, {}).configurations.message;
  state_.generation = model::GenerationOf(graph_.document);
  if (const base::Status added = Add(table, find, routes); !added.ok()) {
    state_.configurations = {.status = "False", .reason = "GraphNotRunnable", .message = added.message()};
  }
  // An error in its steps does not remove its hosts.
  if (state_.url.empty()) state_.routes = state_.configurations;
  const std::string& message = state_.configurations.message;
  if (message != before && !message.empty()) services_.say(true, name_ + ": " + message);
  return routes;
}

std::string GraphRunner::UrlOf(const std::string& host) const {
  const std::string place = services_.gateway();
  const std::string port = place.substr(place.rfind(':') + 1);
  return services_.config.ingress.url_scheme + "://" + host + (port == "80" ? "" : ":" + port);
}

base::Status GraphRunner::Add(const gateway::RouteTable& table, const FindServiceUrl& find,
                              gateway::RouteList& routes) {
  const model::ObjectMeta& metadata = graph_.metadata;
  auto options = graph::OptionsOf(graph_, services_.config.propagated_headers);
  if (!options.has_value()) return options.error().WithContext("router.headers.propagate");
  auto plan = graph::MakePlan(graph_, [&](const std::string& name) -> base::Result<std::string> {
    std::string url = find(metadata.namespace_name, name);
    if (!url.empty()) return url;
    // The step fails as long as the service does not exist.
    state_.configurations = {
        .status = "False", .reason = "ServiceNotFound", .message = "there is no InferenceService '" + name + "'"};
    return "http://" + model::ClusterHost(metadata, name);
  });
  if (!plan.has_value()) return plan.error();
  gateway::Route route;
  route.service = std::make_shared<graph::GraphService>(*std::move(plan), *std::move(options));
  INFERD_ASSIGN_OR_RETURN(const std::string host, model::ExternalHost(metadata, metadata.name, services_.config));
  INFERD_ASSIGN_OR_RETURN(const std::string path, model::ExternalPath(metadata, services_.config));
  const std::string cluster_host = model::ClusterHost(metadata, metadata.name);
  if (table.HasOwnHost(cluster_host)) {
    return base::AlreadyExists("an InferenceService of that name has its hosts");
  }
  routes.push_back({host, route});
  routes.push_back({cluster_host, route});
  state_.url = UrlOf(host);
  if (path.empty()) return base::OkStatus();
  for (const std::string& prefix : {path + "/", path}) {
    route.path_prefix = prefix;
    route.path_suffix = prefix == path ? path : "";
    routes.push_back({"*", route});
  }
  return base::OkStatus();
}

}  // namespace inferd::local

#include "kserve/clustergateway/router/router_graph.h"

#include <algorithm>
#include <utility>

#include "data/manifest/fields.h"
#include "data/manifest/read.h"
#include "kserve/model/resolve/validation.h"

namespace inferd::clustergateway {

namespace {

using manifest::Value;
using model::InferenceGraph;

constexpr std::chrono::seconds kAddressWait{10};
constexpr uint16_t kHttpPort = 80;

Value WholeObject(Value given) {
  const Value* const spec = given.Find("spec");
  Value metadata = Value::Map({{"name", Value::String("graph")}});
  Value object = Value::Map({{"apiVersion", Value::String("serving.kserve.io/v1alpha1")},
                             {"kind", Value::String("InferenceGraph")},
                             {"metadata", std::move(metadata)}});
  object.Set("spec", spec == nullptr ? std::move(given) : *spec);
  return object;
}

base::Result<NamedBackend> NameOf(const std::string& authority) {
  NamedBackend name{.host = authority, .port = kHttpPort, .backend = nullptr};
  if (const size_t colon = authority.rfind(':'); colon != std::string::npos) {
    const auto port = manifest::ParseInt64(authority.substr(colon + 1));
    if (!port.has_value() || *port < 1 || *port > UINT16_MAX) {
      return std::unexpected(base::InvalidArgument("'" + authority + "' has no port from 1 to 65535"));
    }
    name.host.resize(colon);
    name.port = static_cast<uint16_t>(*port);
  }
  return name;
}

std::shared_ptr<const gateway::Route> RouteTo(const NamedBackend& name) {
  auto route = std::make_shared<gateway::Route>();
  route->destinations.push_back({.backend = name.backend});
  route->wait_timeout = kAddressWait;
  return route;
}

}  // namespace

base::Result<InferenceGraph> ReadRouterGraph(std::string_view json) {
  auto documents = manifest::ReadJson(json, "graph");
  if (!documents.has_value()) return std::unexpected(documents.error());
  if (documents->size() != 1 || !documents->front().is(manifest::Kind::kMap)) {
    return std::unexpected(base::InvalidArgument("graph: expected one JSON object"));
  }
  manifest::Problems problems;
  InferenceGraph graph = model::ReadInferenceGraph(WholeObject(std::move(documents->front())), problems);
  for (InferenceGraph::Node& node : graph.nodes) {
    for (InferenceGraph::Step& step : node.steps) {
      if (!step.service_url.empty()) step.service_name.clear();
    }
  }
  if (problems.empty()) problems = model::Validate(graph);
  if (!problems.empty()) return std::unexpected(base::InvalidArgument(problems.front().ToString("graph")));
  return graph;
}

base::Result<RouterGraph> MakeRouterGraph(const InferenceGraph& graph) {
  RouterGraph made;
  INFERD_ASSIGN_OR_RETURN(
      made.plan, graph::MakePlan(graph, [](const std::string& name) -> base::Result<std::string> {
        return std::unexpected(base::InvalidArgument("serviceName '" + name + "' needs its serviceUrl here"));
      }));
  for (graph::Node& node : made.plan.nodes) {
    for (graph::Step& step : node.steps) {
      if (step.node.has_value() || step.target.address != nullptr) continue;
      INFERD_ASSIGN_OR_RETURN(NamedBackend name, NameOf(step.target.host));
      auto found = std::ranges::find_if(
          made.names, [&](const NamedBackend& known) { return known.host == name.host && known.port == name.port; });
      if (found == made.names.end()) {
        name.backend = std::make_shared<gateway::Backend>(step.target.host, gateway::BackendOptions{});
        found = made.names.insert(made.names.end(), std::move(name));
      }
      step.target.address = RouteTo(*found);
    }
  }
  return made;
}

}  // namespace inferd::clustergateway

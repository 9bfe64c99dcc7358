#include "kserve/gateway/graph/plan.h"

#include <algorithm>
#include <utility>

#include "net/upstream/address.h"

namespace inferd::graph {

namespace {

using model::InferenceGraph;

constexpr std::string_view kScheme = "http://";
constexpr std::string_view kSecureScheme = "https://";

bool HasPort(std::string_view authority) {
  const size_t bracket = authority.rfind(']');
  const size_t colon = authority.rfind(':');
  return colon != std::string_view::npos && (bracket == std::string_view::npos || colon > bracket);
}

// Returns a route to an IP address. Null if the authority is a name.
std::shared_ptr<const gateway::Route> RouteTo(std::string_view authority) {
  std::string place(authority);
  if (!HasPort(authority)) place += ":80";
  if (place.starts_with("localhost:")) place.replace(0, place.find(':'), "127.0.0.1");
  auto address = net::upstream::Address::Parse(place);
  if (!address.has_value()) return nullptr;
  auto backend = std::make_shared<gateway::Backend>(place, gateway::BackendOptions{});
  backend->SetReplicas({*std::move(address)});
  auto route = std::make_shared<gateway::Route>();
  route->destinations.push_back({.backend = std::move(backend)});
  return route;
}

base::Result<Node::Type> TypeOf(const std::string& name) {
  if (name == "Sequence") return Node::Type::kSequence;
  if (name == "Splitter") return Node::Type::kSplitter;
  if (name == "Ensemble") return Node::Type::kEnsemble;
  if (name == "Switch") return Node::Type::kSwitch;
  return std::unexpected(base::InvalidArgument("there is no routerType '" + name + "'"));
}

base::Result<Target> TargetOf(const InferenceGraph::Step& given, const ServiceUrl& service_url) {
  if (!given.service_url.empty()) return ParseTarget(given.service_url);
  INFERD_ASSIGN_OR_RETURN(const std::string url, service_url(given.service_name));
  return ParseTarget(url);
}

base::Result<Step> MakeStep(const InferenceGraph& graph, const InferenceGraph::Step& given, size_t number,
                            const ServiceUrl& service_url) {
  Step step;
  step.name = given.name.empty() ? std::to_string(number) : given.name;
  step.takes_response = given.data == "$response";
  step.hard = given.dependency == "Hard";
  step.weight = static_cast<uint32_t>(given.weight.value_or(0));
  if (!given.condition.empty()) {
    INFERD_ASSIGN_OR_RETURN(step.condition, gjson::Path::Parse(given.condition));
  }
  if (given.node_name.empty()) {
    INFERD_ASSIGN_OR_RETURN(step.target, TargetOf(given, service_url));
    return step;
  }
  const auto found = std::ranges::find(graph.nodes, given.node_name, &InferenceGraph::Node::name);
  if (found == graph.nodes.end()) {
    return std::unexpected(base::InvalidArgument("there is no node '" + given.node_name + "'"));
  }
  step.node = static_cast<size_t>(found - graph.nodes.begin());
  return step;
}

}  // namespace

base::Result<Target> ParseTarget(std::string_view url) {
  const auto fault = [url](const std::string& why) {
    return std::unexpected(base::InvalidArgument("serviceUrl '" + std::string(url) + "': " + why));
  };
  if (url.starts_with(kSecureScheme)) return fault("steps are asked over http here, not over https");
  if (!url.starts_with(kScheme)) return fault("expected http://HOST/PATH");
  const std::string_view rest = url.substr(kScheme.size());
  const size_t slash = std::min(rest.find('/'), rest.size());
  const std::string_view authority = rest.substr(0, slash);
  const bool plain = std::ranges::all_of(rest, [](char c) { return c > ' ' && c < '\x7f'; });
  if (authority.empty() || authority.find('@') != std::string_view::npos || !plain) {
    return fault("expected http://HOST/PATH");
  }
  return Target{.host = std::string(authority),
                .path = slash < rest.size() ? std::string(rest.substr(slash)) : "/",
                .address = RouteTo(authority)};
}

base::Result<Plan> MakePlan(const InferenceGraph& graph, const ServiceUrl& service_url) {
  Plan plan;
  for (const InferenceGraph::Node& given : graph.nodes) {
    Node& node = plan.nodes.emplace_back();
    node.name = given.name;
    if (node.name == "root") plan.root = plan.nodes.size() - 1;
    INFERD_ASSIGN_OR_RETURN(node.type, TypeOf(given.router_type));
    for (const InferenceGraph::Step& step : given.steps) {
      auto made = MakeStep(graph, step, node.steps.size(), service_url);
      if (!made.has_value()) return std::unexpected(made.error().WithContext(step.path));
      node.steps.push_back(*std::move(made));
    }
  }
  return plan;
}

}  // namespace inferd::graph

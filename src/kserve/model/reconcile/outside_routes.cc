#include "kserve/model/reconcile/outside_routes.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "kserve/model/api/annotations.h"
#include "kserve/model/reconcile/object_parts.h"
#include "kserve/model/resolve/hosts.h"

namespace inferd::model {

namespace {

using manifest::Value;

const ResolvedPod* FindPod(std::span<const ResolvedPod> pods, ComponentKind kind) {
  const auto found = std::ranges::find(pods, kind, &ResolvedPod::kind);
  return found == pods.end() ? nullptr : &*found;
}

OutsideTarget TargetOf(const InferenceService& service, const ResolvedPod& pod) {
  const std::string name = ComponentObjectName(service, pod.kind);
  return {.service = name,
          .port = ServicePorts(pod, name).front().At("port"),
          .timeout_s = pod.extension.timeout_s.value_or(0)};
}

// Returns the hosts of a service, its own host first.
std::vector<OutsideHost> HostsOf(const InferenceService& service, std::span<const ResolvedPod> pods) {
  std::vector<OutsideHost> hosts;
  if (const ResolvedPod* const entry = EntryPod(pods)) {
    hosts.push_back({.object = service.metadata.name, .target = TargetOf(service, *entry)});
    const ResolvedPod* const explainer = FindPod(pods, ComponentKind::kExplainer);
    if (explainer != nullptr) hosts.back().explainer = TargetOf(service, *explainer);
  }
  for (const ComponentKind kind : {ComponentKind::kTransformer, ComponentKind::kExplainer, ComponentKind::kPredictor}) {
    const ResolvedPod* const pod = FindPod(pods, kind);
    if (pod == nullptr) continue;
    hosts.push_back({.object = ComponentObjectName(service, kind), .target = TargetOf(service, *pod)});
  }
  return hosts;
}

Value IngressRule(const std::string& host, const OutsideTarget& target) {
  Value backend = Value::Map(
      {{"service", Value::Map({{"name", Text(target.service)}, {"port", Value::Map({{"number", target.port}})}})}});
  Value path = Value::Map({{"path", Text("/")}, {"pathType", Text("Prefix")}, {"backend", std::move(backend)}});
  return Value::Map({{"host", Text(host)}, {"http", Value::Map({{"paths", Value::List({std::move(path)})}})}});
}

base::Result<Value> IngressOf(const ObjectOwner& owner, std::span<const OutsideHost> hosts,
                              const InferenceServiceConfig& config) {
  Value rules = Value::List();
  for (const OutsideHost& each : hosts) {
    INFERD_ASSIGN_OR_RETURN(const std::string host, ExternalHost(owner.metadata, each.object, config));
    rules.items().push_back(IngressRule(host, each.target));
  }
  Value ingress =
      BeginObject("networking.k8s.io/v1", "Ingress", owner.metadata.name, owner, {}, owner.metadata.annotations);
  Value spec = Value::Map();
  if (!config.ingress.class_name.empty()) spec.Set("ingressClassName", Text(config.ingress.class_name));
  spec.Set("rules", std::move(rules));
  ingress.Set("spec", std::move(spec));
  return ingress;
}

// Returns a rule that sends requests with a matching path to the target.
Value RouteRule(const ObjectOwner& owner, const OutsideTarget& target, std::string_view type, std::string_view path) {
  Value match = Value::Map({{"path", Value::Map({{"type", Text(type)}, {"value", Text(path)}})}});
  Value backend = Value::Map({{"kind", Text("Service")},
                              {"name", Text(target.service)},
                              {"namespace", Text(owner.metadata.namespace_name)},
                              {"port", target.port}});
  Value rule =
      Value::Map({{"matches", Value::List({std::move(match)})}, {"backendRefs", Value::List({std::move(backend)})}});
  if (target.timeout_s > 0) {
    rule.Set("timeouts", Value::Map({{"request", Text(std::to_string(target.timeout_s) + "s")}}));
  }
  return rule;
}

base::Result<Value> HttpRouteOf(const ObjectOwner& owner, const OutsideHost& outside,
                                const InferenceServiceConfig& config) {
  INFERD_ASSIGN_OR_RETURN(const std::string host, ExternalHost(owner.metadata, outside.object, config));
  const std::string& gateway = config.ingress.api_gateway;
  const size_t slash = gateway.find('/');
  Value parent = Value::Map({{"group", Text("gateway.networking.k8s.io")},
                             {"kind", Text("Gateway")},
                             {"namespace", Text(gateway.substr(0, slash))},
                             {"name", Text(gateway.substr(slash + 1))}});
  Value rules = Value::List();
  if (outside.explainer.has_value()) {
    rules.items().push_back(RouteRule(owner, *outside.explainer, "RegularExpression", kExplainPath));
  }
  rules.items().push_back(RouteRule(owner, outside.target, "PathPrefix", "/"));
  Value route =
      BeginObject("gateway.networking.k8s.io/v1", "HTTPRoute", outside.object, owner, {}, owner.metadata.annotations);
  route.Set("spec", Value::Map({{"parentRefs", Value::List({std::move(parent)})},
                                {"hostnames", Value::List({Text(host)})},
                                {"rules", std::move(rules)}}));
  return route;
}

bool IsClusterLocal(const ObjectMeta& metadata) {
  return std::ranges::any_of(std::array{kVisibilityLabel, kKnativeVisibilityLabel}, [&](const std::string& key) {
    const auto found = metadata.labels.find(key);
    return found != metadata.labels.end() && found->second == "cluster-local";
  });
}

}  // namespace

base::Result<std::vector<Value>> OutsideRoutes(const ObjectOwner& owner, std::span<const OutsideHost> hosts,
                                               const InferenceServiceConfig& config) {
  const InferenceServiceConfig::Ingress& ingress = config.ingress;
  const bool has_ingress = !ingress.class_name.empty() || ingress.domain != ingress.kNoDomain;
  std::vector<Value> routes;
  if (ingress.disable_creation || IsClusterLocal(owner.metadata)) return routes;
  if (!ingress.enable_gateway_api && !has_ingress) return routes;
  if (!ingress.enable_gateway_api) {
    INFERD_ASSIGN_OR_RETURN(Value made, IngressOf(owner, hosts, config));
    routes.push_back(std::move(made));
    return routes;
  }
  for (const OutsideHost& host : hosts) {
    INFERD_ASSIGN_OR_RETURN(Value route, HttpRouteOf(owner, host, config));
    routes.push_back(std::move(route));
  }
  return routes;
}

base::Result<std::vector<Value>> OutsideRoutes(const InferenceService& service, std::span<const ResolvedPod> pods,
                                               const InferenceServiceConfig& config) {
  return OutsideRoutes(service, HostsOf(service, pods), config);
}

}  // namespace inferd::model

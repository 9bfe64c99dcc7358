#include "controlplane/reconcile/outside_routes.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "controlplane/api/annotations.h"
#include "controlplane/reconcile/object_parts.h"
#include "controlplane/resolve/hosts.h"

namespace inferd::controlplane {

namespace {

using manifest::Value;

// A host, and the component that answers there.
struct OutsideHost {
  std::string object;  // that the host is named after
  std::string host;
  const ResolvedPod* target = nullptr;
};

const ResolvedPod* FindPod(std::span<const ResolvedPod> pods, ComponentKind kind) {
  const auto found = std::ranges::find(pods, kind, &ResolvedPod::kind);
  return found == pods.end() ? nullptr : &*found;
}

// The service's own host first.
base::Result<std::vector<OutsideHost>> HostsOf(const InferenceService& service, std::span<const ResolvedPod> pods,
                                               const InferenceServiceConfig& config) {
  std::vector<OutsideHost> hosts;
  const auto add = [&](const std::string& object, const ResolvedPod* target) -> base::Status {
    if (target == nullptr) return base::OkStatus();
    INFERD_ASSIGN_OR_RETURN(std::string host, ExternalHost(service, object, config));
    hosts.push_back({.object = object, .host = std::move(host), .target = target});
    return base::OkStatus();
  };
  INFERD_RETURN_IF_ERROR(add(service.metadata.name, EntryPod(pods)));
  for (const ComponentKind kind : {ComponentKind::kTransformer, ComponentKind::kExplainer, ComponentKind::kPredictor}) {
    INFERD_RETURN_IF_ERROR(add(ComponentObjectName(service, kind), FindPod(pods, kind)));
  }
  return hosts;
}

Value IngressRule(const InferenceService& service, const OutsideHost& host) {
  const std::string target = ComponentObjectName(service, host.target->kind);
  Value port = ServicePorts(*host.target, target).front().At("port");
  Value backend = Value::Map(
      {{"service", Value::Map({{"name", Text(target)}, {"port", Value::Map({{"number", std::move(port)}})}})}});
  Value path = Value::Map({{"path", Text("/")}, {"pathType", Text("Prefix")}, {"backend", std::move(backend)}});
  return Value::Map({{"host", Text(host.host)}, {"http", Value::Map({{"paths", Value::List({std::move(path)})}})}});
}

Value IngressOf(const InferenceService& service, const std::vector<OutsideHost>& hosts,
                const InferenceServiceConfig& config) {
  Value rules = Value::List();
  for (const OutsideHost& host : hosts) rules.items().push_back(IngressRule(service, host));
  Value ingress =
      BeginObject("networking.k8s.io/v1", "Ingress", service.metadata.name, service, {}, service.metadata.annotations);
  Value spec = Value::Map();
  if (!config.ingress.class_name.empty()) spec.Set("ingressClassName", Text(config.ingress.class_name));
  spec.Set("rules", std::move(rules));
  ingress.Set("spec", std::move(spec));
  return ingress;
}

// Requests whose path matches go to the component.
Value RouteRule(const InferenceService& service, const ResolvedPod& target, std::string_view type,
                std::string_view path) {
  const std::string name = ComponentObjectName(service, target.kind);
  Value match = Value::Map({{"path", Value::Map({{"type", Text(type)}, {"value", Text(path)}})}});
  Value backend = Value::Map({{"kind", Text("Service")},
                              {"name", Text(name)},
                              {"namespace", Text(service.metadata.namespace_name)},
                              {"port", ServicePorts(target, name).front().At("port")}});
  Value rule =
      Value::Map({{"matches", Value::List({std::move(match)})}, {"backendRefs", Value::List({std::move(backend)})}});
  const int64_t timeout_s = target.extension.timeout_s.value_or(0);
  if (timeout_s > 0) rule.Set("timeouts", Value::Map({{"request", Text(std::to_string(timeout_s) + "s")}}));
  return rule;
}

Value HttpRouteOf(const InferenceService& service, const OutsideHost& host, const ResolvedPod* explainer,
                  const InferenceServiceConfig& config) {
  const std::string& gateway = config.ingress.api_gateway;
  const size_t slash = gateway.find('/');
  Value parent = Value::Map({{"group", Text("gateway.networking.k8s.io")},
                             {"kind", Text("Gateway")},
                             {"namespace", Text(gateway.substr(0, slash))},
                             {"name", Text(gateway.substr(slash + 1))}});
  Value rules = Value::List();
  const bool own = host.object == service.metadata.name;
  if (own && explainer != nullptr) {
    rules.items().push_back(RouteRule(service, *explainer, "RegularExpression", kExplainPath));
  }
  rules.items().push_back(RouteRule(service, *host.target, "PathPrefix", "/"));
  Value route =
      BeginObject("gateway.networking.k8s.io/v1", "HTTPRoute", host.object, service, {}, service.metadata.annotations);
  route.Set("spec", Value::Map({{"parentRefs", Value::List({std::move(parent)})},
                                {"hostnames", Value::List({Text(host.host)})},
                                {"rules", std::move(rules)}}));
  return route;
}

bool IsClusterLocal(const InferenceService& service) {
  return std::ranges::any_of(std::array{kVisibilityLabel, kKnativeVisibilityLabel}, [&](const std::string& key) {
    const auto found = service.metadata.labels.find(key);
    return found != service.metadata.labels.end() && found->second == "cluster-local";
  });
}

}  // namespace

base::Result<std::vector<Value>> OutsideRoutes(const InferenceService& service, std::span<const ResolvedPod> pods,
                                               const InferenceServiceConfig& config) {
  const InferenceServiceConfig::Ingress& ingress = config.ingress;
  const bool has_ingress = !ingress.class_name.empty() || ingress.domain != ingress.kNoDomain;
  if (ingress.disable_creation || IsClusterLocal(service)) return std::vector<Value>();
  if (!ingress.enable_gateway_api && !has_ingress) return std::vector<Value>();
  INFERD_ASSIGN_OR_RETURN(const std::vector<OutsideHost> hosts, HostsOf(service, pods, config));
  if (!ingress.enable_gateway_api) return std::vector<Value>{IngressOf(service, hosts, config)};
  std::vector<Value> routes;
  for (const OutsideHost& host : hosts) {
    routes.push_back(HttpRouteOf(service, host, FindPod(pods, ComponentKind::kExplainer), config));
  }
  return routes;
}

}  // namespace inferd::controlplane

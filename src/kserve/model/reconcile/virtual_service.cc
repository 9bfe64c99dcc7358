#include <algorithm>
#include <utility>

#include "kserve/model/api/annotations.h"
#include "kserve/model/reconcile/object_parts.h"
#include "kserve/model/reconcile/serverless_objects.h"
#include "kserve/model/resolve/hosts.h"

namespace inferd::model {

namespace {

using manifest::Value;

constexpr std::string_view kPort = "(?::\\d{1,5})?$";
constexpr int64_t kGatewayPort = 80;

// Escapes the characters of a host that have a meaning in a regular expression.
std::string Quoted(std::string_view host) {
  std::string quoted;
  for (const char c : host) {
    if (c == '.') quoted += '\\';
    quoted += c;
  }
  return quoted;
}

// Returns a match for a host with or without a port. The domain suffix of a host within the cluster may be missing.
Value AuthorityOf(const std::string& host, bool local) {
  std::string name = host;
  std::string ending;
  if (local) {
    for (const std::string_view part : {".cluster.local", ".svc"}) {
      if (!name.ends_with(part)) continue;
      name.resize(name.size() - part.size());
      ending = "(?:" + Quoted(part) + ending + ")?";
    }
  }
  return Value::Map({{"regex", Text("^" + Quoted(name) + ending + std::string(kPort))}});
}

// Sends a request to the gateway, with the host of the component's Knative Service.
void SetDestination(Value& route, const InferenceService& service, ComponentKind target,
                    const InferenceServiceConfig& config) {
  const std::string host = ClusterHost(service, ComponentObjectName(service, target));
  Value destination = Value::Map(
      {{"host", Text(config.ingress.local_service)}, {"port", Value::Map({{"number", Number(kGatewayPort)}})}});
  route.Set("route", Value::List({Value::Map({{"destination", std::move(destination)}, {"weight", Number(100)}})}));
  route.Set("headers", Value::Map({{"request", Value::Map({{"set", Value::Map({{"Host", Text(host)}})}})}}));
}

class RouteBuilder {
 public:
  RouteBuilder(const InferenceService& service, const InferenceServiceConfig& config, std::string external_host)
      : service_(service), config_(config), external_host_(std::move(external_host)) {}

  // Adds a rule for requests to either host of the service. The path must match if it is not empty.
  void AddByHost(std::string_view path, ComponentKind target) {
    Value matches = Value::List();
    AddMatch(matches, AuthorityOf(ClusterHost(service_, service_.metadata.name), true), config_.ingress.local_gateway,
             path);
    if (!external_host_.empty()) AddMatch(matches, AuthorityOf(external_host_, false), config_.ingress.gateway, path);
    Value& route = routes_.items().emplace_back(Value::Map({{"match", std::move(matches)}}));
    SetDestination(route, service_, target, config_);
  }

  // Adds a rule for requests to the ingress domain with the service's path, or with a path below it.
  void AddByPath(const std::string& service_path, ComponentKind target) {
    const auto add = [&](const char* how, const std::string& path) {
      Value match = Value::Map({{"uri", Value::Map({{how, Text(path)}})},
                                {"authority", AuthorityOf(config_.ingress.domain, false)},
                                {"gateways", Value::List({Text(config_.ingress.gateway)})}});
      Value& route = routes_.items().emplace_back(Value::Map({{"match", Value::List({std::move(match)})}}));
      route.Set("rewrite", Value::Map({{"uri", Text("/")}}));
      SetDestination(route, service_, target, config_);
    };
    add("prefix", service_path + "/");
    add("exact", service_path);
  }

  Value Take() { return std::move(routes_); }

 private:
  static void AddMatch(Value& matches, Value authority, const std::string& gateway, std::string_view path) {
    Value match = Value::Map();
    if (!path.empty()) match.Set("uri", Value::Map({{"regex", Text(path)}}));
    match.Set("authority", std::move(authority));
    match.Set("gateways", Value::List({Text(gateway)}));
    matches.items().push_back(std::move(match));
  }

  const InferenceService& service_;
  const InferenceServiceConfig& config_;
  const std::string external_host_;
  Value routes_ = Value::List();
};

bool HasPod(std::span<const ResolvedPod> pods, ComponentKind kind) {
  return std::ranges::find(pods, kind, &ResolvedPod::kind) != pods.end();
}

}  // namespace

base::Result<Value> VirtualServiceOf(const InferenceService& service, std::span<const ResolvedPod> pods,
                                     const InferenceServiceConfig& config) {
  const auto& ingress = config.ingress;
  if (ingress.gateway.empty() || ingress.service.empty()) {
    return std::unexpected(
        base::InvalidArgument("invalid ingress config - ingressGateway and ingressService are required"));
  }
  const auto visibility = service.metadata.labels.find(kKnativeVisibilityLabel);
  const bool local = visibility != service.metadata.labels.end() && visibility->second == "cluster-local";
  std::string external_host;
  if (!local) {
    INFERD_ASSIGN_OR_RETURN(external_host, ExternalHost(service, service.metadata.name, config));
  }
  INFERD_ASSIGN_OR_RETURN(const std::string path, ExternalPath(service, config));

  Value hosts = Value::List({Text(ClusterHost(service, service.metadata.name))});
  Value gateways = Value::List({Text(ingress.local_gateway)});
  if (!local) {
    hosts.items().push_back(Text(external_host));
    gateways.items().push_back(Text(ingress.gateway));
    if (!path.empty()) hosts.items().push_back(Text(ingress.domain));
  }
  const ComponentKind entry =
      HasPod(pods, ComponentKind::kTransformer) ? ComponentKind::kTransformer : ComponentKind::kPredictor;
  RouteBuilder routes(service, config, external_host);
  if (HasPod(pods, ComponentKind::kExplainer)) routes.AddByHost(kExplainPath, ComponentKind::kExplainer);
  routes.AddByHost("", entry);
  if (!local && !path.empty()) routes.AddByPath(path, entry);

  Value object = BeginObject("networking.istio.io/v1alpha3", "VirtualService", service.metadata.name, service,
                             service.metadata.labels, service.metadata.annotations);
  object.Set("spec",
             Value::Map({{"hosts", std::move(hosts)}, {"gateways", std::move(gateways)}, {"http", routes.Take()}}));
  return object;
}

Value GatewayAliasOf(const InferenceService& service, const InferenceServiceConfig& config) {
  Value object = BeginObject("v1", "Service", service.metadata.name, service, {}, {});
  object.Set("spec", Value::Map({{"type", Text("ExternalName")},
                                 {"externalName", Text(config.ingress.local_service)},
                                 {"sessionAffinity", Text("None")}}));
  return object;
}

}  // namespace inferd::model

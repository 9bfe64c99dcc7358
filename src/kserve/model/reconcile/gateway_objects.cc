#include "kserve/model/reconcile/gateway_objects.h"

#include <algorithm>
#include <set>
#include <utility>

#include "kserve/model/api/annotations.h"
#include "kserve/model/reconcile/object_parts.h"
#include "kserve/model/resolve/hosts.h"

namespace inferd::model {

namespace {

using manifest::Value;

constexpr int64_t kPort = 80;

Value RuleOf(const std::string& host, const std::string& target) {
  Value backend = Value::Map(
      {{"service", Value::Map({{"name", Text(target)}, {"port", Value::Map({{"number", Number(kPort)}})}})}});
  Value path = Value::Map({{"path", Text("/")}, {"pathType", Text("Prefix")}, {"backend", std::move(backend)}});
  return Value::Map({{"host", Text(host)}, {"http", Value::Map({{"paths", Value::List({std::move(path)})}})}});
}

}  // namespace

bool UsesGateway(const InferenceService& service, std::span<const ResolvedPod> pods, DeploymentMode mode,
                 bool cluster_has_knative) {
  if (mode == DeploymentMode::kServerless) return !cluster_has_knative;
  if (mode != DeploymentMode::kRawDeployment) return false;
  return service.metadata.annotation(kTagRoutingAnnotation) == "true" ||
         std::ranges::any_of(pods,
                             [](const ResolvedPod& pod) { return pod.extension.canary_traffic_percent.has_value(); });
}

Value GatewayNameOf(const InferenceService& service, const std::string& name, const std::string& gateway_host) {
  Value object = BeginObject("v1", "Service", name, service, {{kInferenceServiceLabel, service.metadata.name}}, {});
  Value port = Value::Map(
      {{"name", Text("http")}, {"port", Number(kPort)}, {"targetPort", Number(kPort)}, {"protocol", Text("TCP")}});
  object.Set("spec", Value::Map({{"type", Text("ExternalName")},
                                 {"externalName", Text(gateway_host)},
                                 {"sessionAffinity", Text("None")},
                                 {"ports", Value::List({std::move(port)})}}));
  return object;
}

std::vector<Value> GatewayComponentNames(const InferenceService& service, ComponentKind kind,
                                         const std::vector<TrafficTarget>& traffic, const std::string& gateway_host) {
  const std::string component = ComponentObjectName(service, kind);
  std::set<std::string> names = {component};
  for (const TrafficTarget& target : traffic) {
    if (!target.tag.empty()) names.insert(target.tag + "-" + component);
  }
  std::vector<Value> objects;
  for (const std::string& name : names) objects.push_back(GatewayNameOf(service, name, gateway_host));
  return objects;
}

base::Result<Value> GatewayIngress(const InferenceService& service, std::span<const ResolvedPod> pods,
                                   const InferenceServiceConfig& config) {
  Value rules = Value::List();
  std::vector<std::string> names = {service.metadata.name};
  for (const ResolvedPod& pod : pods) names.push_back(ComponentObjectName(service, pod.kind));
  for (const std::string& name : names) {
    INFERD_ASSIGN_OR_RETURN(const std::string host, ExternalHost(service, name, config));
    rules.items().push_back(RuleOf(host, service.metadata.name));
  }
  Value ingress = BeginObject("networking.k8s.io/v1", "Ingress", service.metadata.name, service,
                              {{kInferenceServiceLabel, service.metadata.name}}, service.metadata.annotations);
  Value spec = Value::Map();
  if (!config.ingress.class_name.empty()) spec.Set("ingressClassName", Text(config.ingress.class_name));
  spec.Set("rules", std::move(rules));
  ingress.Set("spec", std::move(spec));
  return ingress;
}

}  // namespace inferd::model

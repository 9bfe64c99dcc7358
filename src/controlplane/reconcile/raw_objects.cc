#include "controlplane/reconcile/raw_objects.h"

#include <algorithm>
#include <utility>

#include "controlplane/reconcile/object_parts.h"
#include "controlplane/resolve/hosts.h"
#include "controlplane/scale/hpa.h"

namespace inferd::controlplane {

namespace {

using manifest::Value;

constexpr int64_t kAgentPort = 9081;
constexpr int64_t kServicePort = 80;
constexpr int64_t kContainerPort = 8080;

// What Kubernetes would fill in, so that a comparison with what it stores shows no difference.
void SetPodDefaults(Value& pod_spec) {
  const auto set = [](Value& map, std::string_view key, Value value) {
    if (map.Find(key) == nullptr) map.Set(key, std::move(value));
  };
  set(pod_spec, "dnsPolicy", Text("ClusterFirst"));
  set(pod_spec, "restartPolicy", Text("Always"));
  set(pod_spec, "terminationGracePeriodSeconds", Number(30));
  set(pod_spec, "securityContext", Value::Map());
  set(pod_spec, "schedulerName", Text("default-scheduler"));
  if (Value* containers = pod_spec.Find("containers"); containers != nullptr) {
    for (Value& container : containers->items()) {
      set(container, "terminationMessagePath", Text("/dev/termination-log"));
      set(container, "terminationMessagePolicy", Text("File"));
      set(container, "imagePullPolicy", Text("IfNotPresent"));
    }
  }
}

Value PortsOf(const ResolvedPod& pod, const std::string& name) {
  Value ports = Value::List();
  if (const Value* container_ports = FirstPorts(pod.pod_spec); container_ports != nullptr) {
    for (const Value& container_port : container_ports->items()) {
      Value& port = ports.items().emplace_back(Value::Map());
      const Value* port_name = container_port.Find("name");
      if (port_name != nullptr) port.Set("name", *port_name);
      const Value number = container_port.Find("containerPort") == nullptr ? Number(kContainerPort)
                                                                           : *container_port.Find("containerPort");
      port.Set("port", number);
      port.Set("targetPort", number);
      const Value* protocol = container_port.Find("protocol");
      port.Set("protocol", protocol == nullptr ? Text("TCP") : *protocol);
    }
  } else {
    ports.items().push_back(Value::Map({{"name", Text(name)},
                                        {"port", Number(kServicePort)},
                                        {"targetPort", Number(kContainerPort)},
                                        {"protocol", Text("TCP")}}));
  }
  // The agent stands in front, and passes on what it has logged or batched.
  const bool has_agent = pod.extension.batcher.has_value() || pod.extension.logger.has_value();
  if (has_agent) ports.items().front().Set("targetPort", Number(kAgentPort));
  return ports;
}

Value ServiceOf(const InferenceService& service, const ResolvedPod& pod, const std::string& name) {
  Value object = BeginObject("v1", "Service", name, service, SelectedLabels(pod, name), pod.annotations);
  object.Set("spec", Value::Map({{"selector", Selector(name)}, {"ports", PortsOf(pod, name)}}));
  return object;
}

const ResolvedPod* FindPod(std::span<const ResolvedPod> pods, ComponentKind kind) {
  const auto found = std::ranges::find(pods, kind, &ResolvedPod::kind);
  return found == pods.end() ? nullptr : &*found;
}

// A custom predictor's own port; else that of its Service.
Value IngressPort(const InferenceService& service) {
  const Value* ports = service.predictor.model.has_value() ? nullptr : FirstPorts(service.predictor.pod_spec);
  const Value* port = ports == nullptr ? nullptr : ports->items().front().Find("containerPort");
  return port == nullptr ? Number(kServicePort) : *port;
}

Value IngressRule(const std::string& host, const std::string& target, const Value& port) {
  Value backend =
      Value::Map({{"service", Value::Map({{"name", Text(target)}, {"port", Value::Map({{"number", port}})}})}});
  Value path = Value::Map({{"path", Text("/")}, {"pathType", Text("Prefix")}, {"backend", std::move(backend)}});
  return Value::Map({{"host", Text(host)}, {"http", Value::Map({{"paths", Value::List({std::move(path)})}})}});
}

}  // namespace

Value DeploymentOf(const InferenceService& service, const ResolvedPod& pod, const std::string& name) {
  const StringMap labels = SelectedLabels(pod, name);
  Value deployment = BeginObject("apps/v1", "Deployment", name, service, labels, pod.annotations);
  Value pod_spec = WithReadinessProbe(pod.pod_spec);
  SetPodDefaults(pod_spec);
  Value metadata = Value::Map({{"labels", Value::StringMap(labels)}});
  if (!pod.annotations.empty()) metadata.Set("annotations", Value::StringMap(pod.annotations));
  const Value quarter = Text("25%");
  deployment.Set(
      "spec",
      Value::Map({{"selector", Value::Map({{"matchLabels", Selector(name)}})},
                  {"template", Value::Map({{"metadata", std::move(metadata)}, {"spec", std::move(pod_spec)}})},
                  {"strategy",
                   Value::Map({{"type", Text("RollingUpdate")},
                               {"rollingUpdate", Value::Map({{"maxUnavailable", quarter}, {"maxSurge", quarter}})}})},
                  {"revisionHistoryLimit", Number(10)},
                  {"progressDeadlineSeconds", Number(600)}}));
  return deployment;
}

Value AutoscalerOf(const InferenceService& service, const ResolvedPod& pod, const std::string& name) {
  const HpaSettings settings = HpaSettingsOf(pod.extension, pod.annotations);
  Value object = BeginObject("autoscaling/v2", "HorizontalPodAutoscaler", name, service, SelectedLabels(pod, name),
                             pod.annotations);
  Value target = Value::Map({{"type", Text("Utilization")},
                             {"averageUtilization", Number(static_cast<int64_t>(settings.target_utilization))}});
  Value metric =
      Value::Map({{"type", Text("Resource")},
                  {"resource", Value::Map({{"name", Text(settings.resource)}, {"target", std::move(target)}})}});
  object.Set(
      "spec",
      Value::Map({{"scaleTargetRef",
                   Value::Map({{"apiVersion", Text("apps/v1")}, {"kind", Text("Deployment")}, {"name", Text(name)}})},
                  {"minReplicas", Number(settings.min_replicas)},
                  {"maxReplicas", Number(settings.max_replicas)},
                  {"metrics", Value::List({std::move(metric)})},
                  {"behavior", Value::Map()}}));
  return object;
}

std::vector<Value> RawComponentObjects(const InferenceService& service, const ResolvedPod& pod) {
  const std::string name = ComponentObjectName(service, pod.kind);
  return {DeploymentOf(service, pod, name), ServiceOf(service, pod, name), AutoscalerOf(service, pod, name)};
}

base::Result<Value> RawIngress(const InferenceService& service, std::span<const ResolvedPod> pods,
                               const InferenceServiceConfig& config) {
  const Value port = IngressPort(service);
  Value rules = Value::List();
  const auto add = [&](const std::string& host_of, ComponentKind target) -> base::Status {
    INFERD_ASSIGN_OR_RETURN(const std::string host, ExternalHost(service, host_of, config));
    rules.items().push_back(IngressRule(host, ComponentObjectName(service, target), port));
    return base::OkStatus();
  };
  const bool transforms = FindPod(pods, ComponentKind::kTransformer) != nullptr;
  INFERD_RETURN_IF_ERROR(
      add(service.metadata.name, transforms ? ComponentKind::kTransformer : ComponentKind::kPredictor));
  for (const ComponentKind kind : {ComponentKind::kTransformer, ComponentKind::kExplainer, ComponentKind::kPredictor}) {
    if (FindPod(pods, kind) != nullptr) INFERD_RETURN_IF_ERROR(add(ComponentObjectName(service, kind), kind));
  }
  Value ingress =
      BeginObject("networking.k8s.io/v1", "Ingress", service.metadata.name, service, {}, service.metadata.annotations);
  Value spec = Value::Map();
  if (!config.ingress.class_name.empty()) spec.Set("ingressClassName", Text(config.ingress.class_name));
  spec.Set("rules", std::move(rules));
  ingress.Set("spec", std::move(spec));
  return ingress;
}

}  // namespace inferd::controlplane

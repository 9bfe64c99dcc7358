#include "kserve/model/reconcile/object_parts.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "kserve/model/api/empty_values.h"

namespace inferd::model {

namespace {

using manifest::Value;

constexpr int64_t kServicePort = 80;

const Value* FirstContainer(const Value& pod_spec) {
  const Value* containers = pod_spec.Find("containers");
  return containers == nullptr || containers->items().empty() ? nullptr : &containers->items().front();
}

// Returns true if the name says that the container's port speaks HTTP/2 without TLS, as gRPC does.
bool IsH2c(std::string_view port_name) { return port_name.starts_with("h2c") || port_name.starts_with("grpc"); }

// Returns the port of a Service for a container's port. If there are `several`, Kubernetes requires names.
Value ServicePortOf(const Value& container_port, bool several) {
  Value port = Value::Map();
  const Value* const name = container_port.Find("name");
  const Value* const number = container_port.Find("containerPort");
  const Value* const protocol = container_port.Find("protocol");
  const Value target = number == nullptr ? Number(kContainerPort) : *number;
  if (name != nullptr) {
    port.Set("name", *name);
  } else if (several) {
    port.Set("name", Text("port-" + target.text()));
  }
  port.Set("port", target);
  port.Set("targetPort", target);
  port.Set("protocol", protocol == nullptr ? Text("TCP") : *protocol);
  if (name != nullptr && IsH2c(name->text())) port.Set("appProtocol", Text("kubernetes.io/h2c"));
  return port;
}

bool HasProbe(const Value& container, std::string_view key = "readinessProbe") {
  const Value* const probe = container.Find(key);
  return probe != nullptr && !IsUnset(*probe);
}

Value OwnerReference(const ObjectOwner& owner) {
  return Value::Map({{"apiVersion", Text(owner.api_version)},
                     {"kind", Text(owner.kind)},
                     {"name", Text(owner.metadata.name)},
                     {"uid", Text(owner.metadata.uid)},
                     {"controller", Value::Bool(true)},
                     {"blockOwnerDeletion", Value::Bool(true)}});
}

// Returns true if a probe has no handler. Kubernetes refuses such a probe. Knative takes it as a connection to the
// port.
bool HasTimingsOnly(const Value& probe) {
  constexpr std::array<std::string_view, 4> kHandlers = {"httpGet", "tcpSocket", "exec", "grpc"};
  return probe.is(manifest::Kind::kMap) &&
         std::ranges::none_of(kHandlers, [&](std::string_view key) { return probe.Find(key) != nullptr; });
}

// Probes with nothing but timings ask for a connection, by `handler`.
void CompleteProbes(Value& container, const Value& handler, std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys) {
    if (!HasProbe(container, key)) continue;
    Value* const probe = container.Find(key);
    if (HasTimingsOnly(*probe)) probe->Set("tcpSocket", handler);
  }
}

}  // namespace

Value BeginObject(std::string_view api_version, std::string_view kind, const std::string& name,
                  const ObjectOwner& owner, const StringMap& labels, const StringMap& annotations) {
  Value metadata = Value::Map({{"name", Text(name)}, {"namespace", Text(owner.metadata.namespace_name)}});
  if (!labels.empty()) metadata.Set("labels", Value::StringMap(labels));
  if (!annotations.empty()) metadata.Set("annotations", Value::StringMap(annotations));
  if (!owner.metadata.uid.empty()) metadata.Set("ownerReferences", Value::List({OwnerReference(owner)}));
  return Value::Map({{"apiVersion", Text(api_version)}, {"kind", Text(kind)}, {"metadata", std::move(metadata)}});
}

StringMap SelectedLabels(const ResolvedPod& pod, const std::string& object_name) {
  StringMap labels = pod.labels;
  labels["app"] = "isvc." + object_name;
  return labels;
}

Value Selector(const std::string& object_name) { return Value::Map({{"app", Text("isvc." + object_name)}}); }

const Value* FirstPorts(const Value& pod_spec) {
  const Value* container = FirstContainer(pod_spec);
  const Value* ports = container == nullptr ? nullptr : container->Find("ports");
  return ports == nullptr || ports->items().empty() ? nullptr : ports;
}

Value WithReadinessProbe(const Value& pod_spec) {
  Value spec = pod_spec;
  Value* containers = spec.Find("containers");
  if (containers == nullptr || containers->items().empty()) return spec;
  Value& container = containers->items().front();
  const Value* ports = FirstPorts(pod_spec);
  const Value* port = ports == nullptr ? nullptr : ports->items().front().Find("containerPort");
  Value handler = Value::Map({{"port", port == nullptr ? Number(kContainerPort) : *port}});
  CompleteProbes(container, handler, {"readinessProbe", "livenessProbe", "startupProbe"});
  if (HasProbe(container)) return spec;
  container.Set("readinessProbe", Value::Map({{"tcpSocket", std::move(handler)},
                                              {"timeoutSeconds", Number(1)},
                                              {"periodSeconds", Number(10)},
                                              {"successThreshold", Number(1)},
                                              {"failureThreshold", Number(3)}}));
  return spec;
}

Value WithRevisionProbe(const Value& pod_spec) {
  Value spec = pod_spec;
  Value* const containers = spec.Find("containers");
  if (containers == nullptr || containers->items().empty()) return spec;
  Value& container = containers->items().front();
  const Value handler = Value::Map({{"port", Number(0)}});
  CompleteProbes(container, handler, {"livenessProbe", "startupProbe"});
  if (HasProbe(container)) return spec;
  container.Set("readinessProbe", Value::Map({{"tcpSocket", handler}, {"successThreshold", Number(1)}}));
  return spec;
}

std::vector<Value> ServicePorts(const ResolvedPod& pod, const std::string& name) {
  std::vector<Value> ports;
  if (const Value* const container_ports = FirstPorts(pod.pod_spec)) {
    const bool several = container_ports->items().size() > 1;
    for (const Value& port : container_ports->items()) ports.push_back(ServicePortOf(port, several));
  } else {
    ports.push_back(Value::Map({{"name", Text(name)},
                                {"port", Number(kServicePort)},
                                {"targetPort", Number(kContainerPort)},
                                {"protocol", Text("TCP")}}));
  }
  // The agent stands in front. It forwards requests after logging and batching.
  const bool has_agent = pod.extension.batcher.has_value() || pod.extension.logger.has_value();
  if (has_agent) ports.front().Set("targetPort", Number(kAgentPort));
  return ports;
}

const ResolvedPod* EntryPod(std::span<const ResolvedPod> pods) {
  const ResolvedPod* entry = nullptr;
  for (const ResolvedPod& pod : pods) {
    if (pod.kind == ComponentKind::kTransformer) return &pod;
    if (pod.kind == ComponentKind::kPredictor) entry = &pod;
  }
  return entry;
}

}  // namespace inferd::model

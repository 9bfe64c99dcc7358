#include "controlplane/reconcile/object_parts.h"

namespace inferd::controlplane {

namespace {

using manifest::Value;

constexpr int64_t kDefaultPort = 8080;

const Value* FirstContainer(const Value& pod_spec) {
  const Value* containers = pod_spec.Find("containers");
  return containers == nullptr || containers->items().empty() ? nullptr : &containers->items().front();
}

Value OwnerReference(const InferenceService& service) {
  Value owner = Value::Map({{"apiVersion", Text("serving.kserve.io/v1beta1")},
                            {"kind", Text("InferenceService")},
                            {"name", Text(service.metadata.name)},
                            {"uid", Text(service.metadata.uid)},
                            {"controller", Value::Bool(true)},
                            {"blockOwnerDeletion", Value::Bool(true)}});
  return owner;
}

}  // namespace

Value BeginObject(std::string_view api_version, std::string_view kind, const std::string& name,
                  const InferenceService& service, const StringMap& labels, const StringMap& annotations) {
  Value metadata = Value::Map({{"name", Text(name)}, {"namespace", Text(service.metadata.namespace_name)}});
  if (!labels.empty()) metadata.Set("labels", Value::StringMap(labels));
  if (!annotations.empty()) metadata.Set("annotations", Value::StringMap(annotations));
  metadata.Set("ownerReferences", Value::List({OwnerReference(service)}));
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
  if (container.Find("readinessProbe") != nullptr) return spec;
  const Value* ports = FirstPorts(pod_spec);
  const Value* port = ports == nullptr ? nullptr : ports->items().front().Find("containerPort");
  container.Set("readinessProbe",
                Value::Map({{"tcpSocket", Value::Map({{"port", port == nullptr ? Number(kDefaultPort) : *port}})},
                            {"timeoutSeconds", Number(1)},
                            {"periodSeconds", Number(10)},
                            {"successThreshold", Number(1)},
                            {"failureThreshold", Number(3)}}));
  return spec;
}

}  // namespace inferd::controlplane

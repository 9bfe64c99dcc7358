#include "kserve/model/reconcile/raw_objects.h"

#include <utility>

#include "kserve/model/reconcile/object_parts.h"
#include "kserve/model/scale/hpa.h"

namespace inferd::model {

namespace {

using manifest::Value;

// Sets Kubernetes' default values, so that a comparison with the stored object shows no difference.
void SetPodDefaults(Value& pod_spec) {
  const auto set = [](Value& map, std::string_view key, Value value) {
    if (map.Find(key) == nullptr) map.Set(key, std::move(value));
  };
  set(pod_spec, "dnsPolicy", Text("ClusterFirst"));
  set(pod_spec, "restartPolicy", Text("Always"));
  set(pod_spec, "terminationGracePeriodSeconds", Number(30));
  set(pod_spec, "securityContext", Value::Map());
  set(pod_spec, "schedulerName", Text("default-scheduler"));
  for (const std::string_view key : {"initContainers", "containers"}) {
    Value* const containers = pod_spec.Find(key);
    if (containers == nullptr) continue;
    for (Value& container : containers->items()) {
      set(container, "terminationMessagePath", Text("/dev/termination-log"));
      set(container, "terminationMessagePolicy", Text("File"));
      set(container, "imagePullPolicy", Text("IfNotPresent"));
    }
  }
}

Value RollingUpdate() {
  const Value quarter = Text("25%");
  return Value::Map({{"type", Text("RollingUpdate")},
                     {"rollingUpdate", Value::Map({{"maxUnavailable", quarter}, {"maxSurge", quarter}})}});
}

Value ServiceOf(const ObjectOwner& owner, const ResolvedPod& pod, const std::string& name) {
  Value object = BeginObject("v1", "Service", name, owner, SelectedLabels(pod, name), pod.annotations);
  object.Set("spec", Value::Map({{"selector", Selector(name)}, {"ports", Value::List(ServicePorts(pod, name))}}));
  return object;
}

}  // namespace

Value DeploymentOf(const ObjectOwner& owner, const ResolvedPod& pod, const ResolvedPod& in_template,
                   const std::string& name) {
  const StringMap labels = SelectedLabels(pod, name);
  Value deployment = BeginObject("apps/v1", "Deployment", name, owner, labels, pod.annotations);
  Value pod_spec = in_template.pod_spec;
  SetPodDefaults(pod_spec);
  Value metadata = Value::Map({{"labels", Value::StringMap(labels)}});
  if (!in_template.annotations.empty()) metadata.Set("annotations", Value::StringMap(in_template.annotations));
  Value spec = Value::Map({{"selector", Value::Map({{"matchLabels", Selector(name)}})}});
  if (AutoscalerClassOf(pod.annotations) == AutoscalerClass::kNone) {
    spec.Set("replicas", Number(pod.extension.min_replicas.value_or(1)));
  }
  spec.Set("template", Value::Map({{"metadata", std::move(metadata)}, {"spec", std::move(pod_spec)}}));
  spec.Set("strategy", pod.extension.deployment_strategy.value_or(RollingUpdate()));
  spec.Set("revisionHistoryLimit", Number(10));
  spec.Set("progressDeadlineSeconds", Number(600));
  deployment.Set("spec", std::move(spec));
  return deployment;
}

Value AutoscalerOf(const ObjectOwner& owner, const ResolvedPod& pod, const std::string& name) {
  const HpaSettings settings = HpaSettingsOf(pod.extension, pod.annotations);
  Value object =
      BeginObject("autoscaling/v2", "HorizontalPodAutoscaler", name, owner, SelectedLabels(pod, name), pod.annotations);
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

std::vector<Value> RawPodObjects(const ObjectOwner& owner, const ResolvedPod& pod, const ResolvedPod& in_template,
                                 const std::string& name) {
  std::vector<Value> objects = {DeploymentOf(owner, pod, in_template, name), ServiceOf(owner, pod, name)};
  if (AutoscalerClassOf(pod.annotations) == AutoscalerClass::kHpa) objects.push_back(AutoscalerOf(owner, pod, name));
  return objects;
}

Value EntryServiceOf(const InferenceService& service, const ResolvedPod& entry) {
  const std::string target = ComponentObjectName(service, entry.kind);
  Value object = BeginObject("v1", "Service", service.metadata.name, service, {}, {});
  object.Set("spec", Value::Map({{"selector", Selector(target)}, {"ports", Value::List(ServicePorts(entry, target))}}));
  return object;
}

}  // namespace inferd::model

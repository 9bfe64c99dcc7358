#include "kserve/local/state/pod_object.h"

#include <string_view>
#include <utility>

#include "data/manifest/value_path.h"
#include "kserve/model/api/annotations.h"
#include "kserve/model/api/pod_spec.h"

namespace inferd::local {

namespace {

using manifest::Text;
using manifest::TextAt;
using manifest::Value;
using model::ComponentState;
using model::ReplicaState;
using model::ReplicaStatus;
using model::RevisionState;

Value ContainerState(const ReplicaStatus& replica) {
  switch (replica.state) {
    case ReplicaState::kReady: return Value::Map({{"running", Value::Map()}});
    case ReplicaState::kFailed:
      return Value::Map(
          {{"waiting", Value::Map({{"reason", Text("CrashLoopBackOff")}, {"message", Text(replica.failure)}})}});
    case ReplicaState::kEnded: return Value::Map({{"terminated", Value::Map({{"exitCode", Value::Int(0)}})}});
    case ReplicaState::kStarting:
    case ReplicaState::kStopping: break;
  }
  return Value::Map({{"running", Value::Map()}});
}

// Kubernetes: the reason as set by the container runtime.
const char* EndReason(const model::ProcessEnd& end) {
  if (end.out_of_memory) return "OOMKilled";
  return end.exit_code == 0 ? "Completed" : "Error";
}

// Returns how its last process ended. Empty if none has.
Value LastState(const ReplicaStatus& replica) {
  if (!replica.last_end.has_value()) return Value::Map();
  return Value::Map({{"terminated", Value::Map({{"exitCode", Value::Int(replica.last_end->exit_code)},
                                                {"message", Text(replica.last_end->message)},
                                                {"reason", Text(EndReason(*replica.last_end))}})}});
}

Value PodCondition(std::string_view type, bool is) {
  return Value::Map({{"type", Text(type)}, {"status", Text(is ? "True" : "False")}});
}

}  // namespace

Value MakePod(const Value& service, const ComponentState& component, const RevisionState& revision,
              const ReplicaStatus& replica) {
  const bool ready = replica.state == ReplicaState::kReady;
  const std::string name = TextAt(service, {"metadata", "name"});
  Value pod = Value::Map({{"apiVersion", Text("v1")}, {"kind", Text("Pod")}});
  Value& metadata = pod.MapAt("metadata");
  metadata.Set("name", Text(replica.name));
  metadata.Set("namespace", Text(TextAt(service, {"metadata", "namespace"})));
  metadata.Set("labels", Value::Map({{model::kInferenceServiceLabel, Text(name)},
                                     {model::kComponentLabel, Text(ComponentKindName(component.kind))},
                                     {"serving.knative.dev/revision", Text(revision.name)}}));
  metadata.Set("ownerReferences", Value::List({Value::Map({{"apiVersion", Text(TextAt(service, {"apiVersion"}))},
                                                           {"kind", Text(TextAt(service, {"kind"}))},
                                                           {"name", Text(name)},
                                                           {"uid", Text(TextAt(service, {"metadata", "uid"}))},
                                                           {"controller", Value::Bool(true)},
                                                           {"blockOwnerDeletion", Value::Bool(true)}})}));
  pod.MapAt("spec").Set("containers", Value::List({Value::Map({{"name", Text(model::kServingContainer)}})}));
  Value status = Value::Map({{"phase", Text(replica.state == ReplicaState::kEnded ? "Succeeded" : "Running")}});
  status.Set("conditions", Value::List({PodCondition("Ready", ready), PodCondition("ContainersReady", ready)}));
  status.Set("podIP", Text("127.0.0.1"));
  status.Set("containerStatuses", Value::List({Value::Map({{"name", Text(model::kServingContainer)},
                                                           {"lastState", LastState(replica)},
                                                           {"ready", Value::Bool(ready)},
                                                           {"restartCount", Value::Int(replica.restarts)},
                                                           {"state", ContainerState(replica)}})}));
  pod.Set("status", std::move(status));
  return pod;
}

}  // namespace inferd::local

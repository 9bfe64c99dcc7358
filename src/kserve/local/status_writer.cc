#include "kserve/local/status_writer.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "data/manifest/value_path.h"
#include "kserve/local/state/pod_object.h"
#include "kserve/model/api/annotations.h"
#include "kserve/model/status/service_status.h"

namespace inferd::local {

namespace {

using apiserver::ObjectKey;
using manifest::TextAt;
using manifest::Value;

const apiserver::WriteOptions kOptions = {.manager = "inferd-controller", .internal = true};

const apiserver::ResourceType& Pods() {
  static const apiserver::ResourceType& kType = *apiserver::FindKind("v1", "Pod");
  return kType;
}

std::string Joined(const std::vector<std::string>& parts, std::string_view between) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : std::string(between)) + part;
  return text;
}

using ComponentEvent = std::pair<const char*, std::string>;  // reason and message

void AddReloads(const model::ComponentState& component, std::vector<ComponentEvent>& events) {
  for (const model::RevisionState& revision : component.revisions) {
    for (const model::ReplicaStatus& replica : revision.replicas) {
      for (const auto& [name, times] : replica.reloads) {
        events.emplace_back("ModelReloaded", "another process unloaded model '" + name + "' of " + replica.name +
                                                 "; it was loaded again (" + std::to_string(times) +
                                                 (times == 1 ? " time)" : " times)"));
      }
    }
  }
}

std::string ServiceOf(const Value& pod) { return TextAt(pod, {"metadata", "labels", model::kInferenceServiceLabel}); }

}  // namespace

StatusWriter::StatusWriter(LocalCluster& cluster, uint16_t gateway_port, ReplicaLogs& logs, WriteQueue& queue)
    : cluster_(cluster), gateway_port_(gateway_port), logs_(logs), queue_(queue) {
  // Deletes the pods of an earlier run: its replicas ended with it.
  for (const apiserver::ObjectPtr& object : cluster_.registry().store().List(Pods().resource(), "").objects) {
    bool gone = false;
    const ObjectKey& key = object->key;
    if (cluster_.registry().Delete(Pods(), key.namespace_name, key.name, {}, gone).has_value()) continue;
    const ObjectKey service{ServiceType().resource(), key.namespace_name,
                            ServiceOf(apiserver::ParseStored(object->json))};
    queue_.Submit(service, [this, service] { return DeletePods(service, {}); });
  }
}

void StatusWriter::Write(ServiceSet& services) {
  Config config;
  for (const ObjectKey& key : services.TakeTouched()) {
    const uint64_t version = services.VersionOf(key);
    if (version == 0) {
      if (known_.erase(key) > 0) queue_.Submit(key, [this, key] { return Forget(key); });
      continue;
    }
    const ServiceRunner* const runner = services.Find(key.namespace_name, key.name);
    model::ServiceState state = runner->state();
    Known& known = known_[key];
    if (known.version == version && known.state == state) continue;
    known = {.state = state, .version = version};
    if (config == nullptr) config = std::make_shared<const model::InferenceServiceConfig>(cluster_.config());
    queue_.Submit(key, [this, key, config, state = std::move(state), logs = runner->logs()] {
      return WriteOne(key, state, logs, config);
    });
  }
}

bool StatusWriter::Forget(const ObjectKey& key) {
  {
    const base::MutexLock lock(mutex_);
    told_.erase(key);
  }
  return DeletePods(key, {});
}

bool StatusWriter::WriteOne(const ObjectKey& key, const model::ServiceState& state, const Logs& logs,
                            const Config& config) {
  std::string before;
  std::string after;
  Value object;
  apiserver::WriteOptions options = kOptions;
  options.status = true;
  const auto written = cluster_.registry().Change(
      ServiceType(), key.namespace_name, key.name,
      [&](const Value& live) -> apiserver::ApiResult<Value> {
        manifest::Problems ignored;
        const auto service = model::ReadInferenceService(live, ignored);
        const Value* const status = live.Find("status");
        object = live;
        before = status == nullptr ? std::string() : model::ConditionOf(*status, "Ready");
        object.Set("status",
                   model::MakeServiceStatus(
                       service, state,
                       {.config = *config, .gateway_port = gateway_port_, .now = cluster_.registry().Now()}, status));
        after = model::ConditionOf(*object.Find("status"), "Ready");
        return object;
      },
      options);
  // A service that was deleted meanwhile needs no status.
  if (!written.has_value()) return written.error().reason == "NotFound";
  WriteEvents(object, state, before, after);
  WriteComponentEvents(key, object, state);
  return WritePods(object, state, logs);
}

void StatusWriter::WriteEvents(const Value& object, const model::ServiceState& state, const std::string& before,
                               const std::string& after) {
  const std::string name = TextAt(object, {"metadata", "name"});
  if (after == "True" && before != "True") {
    cluster_.events().Record(object, "Normal", "InferenceServiceReady", "InferenceService [" + name + "] is Ready");
  }
  if (after != "True" && before == "True") {
    cluster_.events().Record(object, "Warning", "InferenceServiceNotReady",
                             "InferenceService [" + name + "] is no longer Ready");
  }
  if (state.failure.has_value()) {
    cluster_.events().Record(object, "Warning", "InternalError",
                             "fails to reconcile predictor: " + state.failure->Explain());
  }
}

void StatusWriter::WriteComponentEvents(const ObjectKey& key, const Value& object, const model::ServiceState& state) {
  constexpr const char* kNot = "FieldsNotHonored";
  constexpr const char* kLimits = "LimitsHonored";
  std::vector<ComponentEvent> events;
  for (const model::ComponentState& component : state.components) {
    const std::string pods = "of the " + std::string(ComponentKindName(component.kind)) + "'s pods, these ";
    const std::string fields = Joined(component.unheeded, ", ");
    if (!fields.empty()) events.emplace_back(kNot, pods + "fields do nothing on this machine: " + fields);
    const std::string limits = Joined(component.limits, "; ");
    if (!limits.empty()) events.emplace_back(kLimits, pods + "limits are held on this machine: " + limits);
    AddReloads(component, events);
  }
  std::set<std::string> before;
  {
    const base::MutexLock lock(mutex_);
    std::set<std::string>& told = told_[key];
    before.swap(told);
    for (const auto& [reason, message] : events) told.insert(message);
  }
  for (const auto& [reason, message] : events) {
    if (!before.contains(message)) cluster_.events().Record(object, "Normal", reason, message);
  }
}

bool StatusWriter::WritePods(const Value& object, const model::ServiceState& state, const Logs& logs) {
  const std::string namespace_name = TextAt(object, {"metadata", "namespace"});
  std::set<std::string> names;
  bool all = true;
  for (const model::ComponentState& component : state.components) {
    for (const model::RevisionState& revision : component.revisions) {
      for (const model::ReplicaStatus& replica : revision.replicas) {
        names.insert(replica.name);
        if (const auto log = logs.find(replica.name); log != logs.end()) {
          logs_.Set(namespace_name, replica.name, log->second);
        }
        const Value pod = MakePod(object, component, revision, replica);
        const auto changed = cluster_.registry().Change(
            Pods(), namespace_name, replica.name,
            [&](const Value& live) -> apiserver::ApiResult<Value> {
              Value edited = live;
              // The service may have been deleted and created again meanwhile.
              edited.MapAt("metadata").Set("ownerReferences", *manifest::FieldAt(pod, {"metadata", "ownerReferences"}));
              edited.Set("status", *pod.Find("status"));
              return edited;
            },
            kOptions);
        all &= changed.has_value() || cluster_.registry().Create(Pods(), namespace_name, pod, kOptions).has_value();
      }
    }
  }
  return all && DeletePods({ServiceType().resource(), namespace_name, TextAt(object, {"metadata", "name"})}, names);
}

bool StatusWriter::DeletePods(const ObjectKey& service, const std::set<std::string>& but) {
  bool all = true;
  for (const auto& object : cluster_.registry().store().List(Pods().resource(), service.namespace_name).objects) {
    if (but.contains(object->key.name) || !object->key.name.starts_with(service.name + "-")) continue;
    if (ServiceOf(apiserver::ParseStored(object->json)) != service.name) continue;
    bool gone = false;
    logs_.Remove(service.namespace_name, object->key.name);
    all &= cluster_.registry().Delete(Pods(), service.namespace_name, object->key.name, {}, gone).has_value();
  }
  return all;
}

}  // namespace inferd::local

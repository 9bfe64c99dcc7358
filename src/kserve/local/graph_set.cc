#include "kserve/local/graph_set.h"

#include <set>
#include <utility>
#include <variant>

#include "kserve/model/status/service_status.h"
#include "kserve/model/status/trained_model_status.h"

namespace inferd::local {

namespace {

using apiserver::ObjectKey;
using manifest::Value;

const apiserver::ResourceType& GraphType() {
  static const apiserver::ResourceType& kType = *apiserver::FindKind("serving.kserve.io/v1alpha1", "InferenceGraph");
  return kType;
}

std::string Graphs() { return GraphType().resource(); }

}  // namespace

bool GraphSet::Follow(const LocalCluster::Changes& changes) {
  std::set<ObjectKey> keys;
  for (const ObjectKey& key : changes.keys) {
    if (key.resource == Graphs()) keys.insert(key);
  }
  if (changes.decisions) {
    for (const ObjectKey& key : cluster_.KeysOf(Graphs())) keys.insert(key);
    for (const auto& [key, entry] : entries_) keys.insert(key);
  }
  for (const ObjectKey& key : keys) FollowOne(key);
  return !keys.empty();
}

void GraphSet::FollowOne(const ObjectKey& key) {
  const auto object = cluster_.Find(key);
  const auto* const graph = object.has_value() ? std::get_if<model::InferenceGraph>(&object->typed) : nullptr;
  if (graph == nullptr) {
    entries_.erase(key);
    return;
  }
  auto found = entries_.find(key);
  if (found == entries_.end()) {
    found = entries_.emplace(key, Entry{GraphRunner(key.namespace_name + "/" + key.name, services_)}).first;
  }
  found->second.runner.Apply(*graph);
}

void GraphSet::UpdateRoutes(gateway::RouteTable& table, const FindServiceUrl& find) {
  for (const std::string& owner : std::exchange(owners_, {})) table.Replace(owner, {});
  for (auto& [key, entry] : entries_) {
    std::string owner = key.resource + "/" + key.namespace_name + "/" + key.name;
    table.Replace(owner, entry.runner.Routes(table, find));
    owners_.insert(std::move(owner));
  }
}

void GraphSet::Write() {
  for (auto& [key, entry] : entries_) {
    if (entry.written == entry.runner.state()) continue;
    entry.written = entry.runner.state();
    writes_.Submit(key, [this, key, state = *entry.written] { return WriteOne(key, state); });
  }
}

bool GraphSet::WriteOne(const ObjectKey& key, const model::GraphState& state) {
  Value object;
  std::string before;
  const auto written = cluster_.registry().Change(
      GraphType(), key.namespace_name, key.name,
      [&](const Value& live) -> apiserver::ApiResult<Value> {
        const Value* const status = live.Find("status");
        before = status == nullptr ? std::string() : model::ConditionOf(*status, "Ready");
        object = live;
        object.Set("status", model::WithTimes(model::MakeGraphStatus(state), status, cluster_.registry().Now()));
        return object;
      },
      {.manager = "inferd-controller", .status = true, .internal = true});
  // The graph may have been deleted meanwhile.
  if (!written.has_value()) return written.error().reason == "NotFound";
  if (const auto event = model::EventOf(key.name, state, before)) {
    cluster_.events().Record(object, event->type, event->reason, event->message);
  }
  return true;
}

}  // namespace inferd::local

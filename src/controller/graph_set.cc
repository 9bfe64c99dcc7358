#include "controller/graph_set.h"

#include <set>
#include <utility>
#include <variant>

namespace inferd::controller {

namespace {

using objectstore::ObjectKey;

const std::string& Graphs() {
  static const std::string kResource = apiserver::FindKind("serving.kserve.io/v1alpha1", "InferenceGraph")->resource();
  return kResource;
}

}  // namespace

bool GraphSet::Follow(const LocalCluster::Changes& changes) {
  std::set<ObjectKey> keys;
  for (const ObjectKey& key : changes.keys) {
    if (key.resource == Graphs()) keys.insert(key);
  }
  if (changes.decisions) {
    for (const ObjectKey& key : cluster_.KeysOf(Graphs())) keys.insert(key);
    for (const auto& [key, runner] : runners_) keys.insert(key);
  }
  for (const ObjectKey& key : keys) FollowOne(key);
  return !keys.empty();
}

void GraphSet::FollowOne(const ObjectKey& key) {
  const auto object = cluster_.Find(key);
  const auto* const graph = object.has_value() ? std::get_if<controlplane::InferenceGraph>(&object->typed) : nullptr;
  if (graph == nullptr) {
    runners_.erase(key);
    return;
  }
  runners_.try_emplace(key, key.namespace_name + "/" + key.name, services_).first->second.Apply(*graph);
}

void GraphSet::AddRoutes(gateway::RouteTable& table, const FindServiceUrl& find) {
  for (auto& [key, runner] : runners_) runner.AddRoutes(table, find);
}

}  // namespace inferd::controller

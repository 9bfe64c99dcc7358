#include "controller/service_set.h"

#include <utility>
#include <variant>

#include "apiserver/objects/value_path.h"
#include "manifest/print.h"

namespace inferd::controller {

namespace {

using manifest::Value;
using objectstore::ObjectKey;

// Its status is written by this program itself, and decides nothing.
std::string DecidingParts(const Value& document) {
  std::string text;
  for (const Value* part :
       {document.Find("spec"), apiserver::FieldAt(document, {"metadata", "labels"}),
        apiserver::FieldAt(document, {"metadata", "annotations"}), apiserver::FieldAt(document, {"metadata", "uid"})}) {
    text += (part == nullptr ? std::string() : manifest::ToJson(*part)) + "\n";
  }
  return text;
}

}  // namespace

bool ServiceSet::Follow(const LocalCluster::Changes& changes, controlplane::ScaleTime now) {
  bool changed = false;
  if (changes.decisions) {
    std::set<ObjectKey> all;
    for (const ObjectKey& key : cluster_.KeysOf(ServiceType().resource())) all.insert(key);
    for (const auto& [key, entry] : entries_) all.insert(key);
    for (const ObjectKey& key : all) changed |= FollowOne(key, true, now);
    return changed;
  }
  for (const ObjectKey& key : changes.keys) {
    if (key.resource == ServiceType().resource()) changed |= FollowOne(key, false, now);
  }
  return changed;
}

bool ServiceSet::FollowOne(const ObjectKey& key, bool decisions, controlplane::ScaleTime now) {
  const auto object = cluster_.Find(key);
  const auto* const service =
      object.has_value() ? std::get_if<controlplane::InferenceService>(&object->typed) : nullptr;
  const auto found = entries_.find(key);
  if (service == nullptr) {
    if (found == entries_.end() || found->second.removed) return false;
    found->second.runner->Remove();
    found->second.removed = true;
    ++deletions_;
    found->second.applied.clear();
    return true;
  }
  std::string parts = DecidingParts(service->document);
  Entry& entry = found == entries_.end() ? entries_[key] : found->second;
  if (entry.runner == nullptr) {
    entry.runner = std::make_unique<ServiceRunner>(key.namespace_name + "/" + key.name, services_);
  }
  if (!decisions && entry.applied == parts) return false;
  entry.applied = std::move(parts);
  entry.removed = false;
  ++entry.version;
  entry.runner->Apply(*service, cluster_.runtimes(), now);
  return true;
}

bool ServiceSet::Tick(controlplane::ScaleTime now) {
  bool changed = false;
  for (const auto& [key, entry] : entries_) changed |= entry.runner->Tick(now);
  changed |= std::erase_if(entries_, [](const auto& item) { return item.second.runner->gone(); }) > 0;
  return changed;
}

void ServiceSet::AddRoutes(gateway::RouteTable& table) const {
  for (const auto& [key, entry] : entries_) entry.runner->AddRoutes(table);
}

ServiceRunner* ServiceSet::Find(const std::string& namespace_name, const std::string& name) const {
  const auto found = entries_.find(apiserver::Registry::KeyOf(ServiceType(), namespace_name, name));
  return found == entries_.end() || found->second.removed ? nullptr : found->second.runner.get();
}

std::string ServiceSet::UrlOf(const std::string& namespace_name, const std::string& name) const {
  const ServiceRunner* const runner = Find(namespace_name, name);
  return runner == nullptr ? std::string() : runner->Url();
}

ObjectKey ServiceSet::Visit(const ObjectKey& from, const Take& take) const {
  for (auto it = entries_.lower_bound(from); it != entries_.end(); ++it) {
    if (!it->second.removed && !take(it->first, *it->second.runner, it->second.version)) return it->first;
  }
  return {};
}

bool ServiceSet::Has(const ObjectKey& key) const {
  const auto found = entries_.find(key);
  return found != entries_.end() && !found->second.removed;
}

void ServiceSet::Clear() {
  for (const auto& [key, entry] : entries_) entry.runner->Remove();
  entries_.clear();
}

}  // namespace inferd::controller

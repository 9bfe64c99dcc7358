#include "kserve/local/service_set.h"

#include <utility>
#include <variant>

#include "data/manifest/print.h"
#include "data/manifest/value_path.h"

namespace inferd::local {

namespace {

using apiserver::ObjectKey;
using manifest::Value;

constexpr model::ScaleTime kSweepEvery{100};
constexpr model::ScaleTime kSweepAllEvery{1'000};

// Returns the parts of the object that decide what runs. This program writes the status itself, so that is left out.
std::string DecidingParts(const Value& document) {
  std::string text;
  for (const Value* part :
       {document.Find("spec"), manifest::FieldAt(document, {"metadata", "labels"}),
        manifest::FieldAt(document, {"metadata", "annotations"}), manifest::FieldAt(document, {"metadata", "uid"})}) {
    text += (part == nullptr ? std::string() : manifest::ToJson(*part)) + "\n";
  }
  return text;
}

}  // namespace

bool ServiceSet::Follow(const LocalCluster::Changes& changes, model::ScaleTime now) {
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

bool ServiceSet::FollowOne(const ObjectKey& key, bool decisions, model::ScaleTime now) {
  const auto object = cluster_.Find(key);
  const auto* const service = object.has_value() ? std::get_if<model::InferenceService>(&object->typed) : nullptr;
  const auto found = entries_.find(key);
  if (service == nullptr) {
    if (found == entries_.end() || found->second.removed) return false;
    found->second.runner->Remove();
    found->second.removed = true;
    found->second.applied.clear();
    Wake(key);
    touched_.insert(key);
    rerouted_.insert(key);
    return true;
  }
  std::string parts = DecidingParts(service->document);
  Entry& entry = found == entries_.end() ? entries_[key] : found->second;
  if (entry.runner == nullptr) MakeRunner(key, entry);
  if (!decisions && entry.applied == parts) return false;
  entry.applied = std::move(parts);
  entry.removed = false;
  ++entry.version;
  entry.runner->Apply(*service, cluster_.runtimes(), now);
  Wake(key);
  touched_.insert(key);
  rerouted_.insert(key);
  return true;
}

void ServiceSet::MakeRunner(const ObjectKey& key, Entry& entry) {
  entry.node = std::make_unique<node::NodeOptions>(services_.node);
  entry.node->wake = [woken = woken_, key, wake = services_.node.wake] {
    {
      const base::MutexLock lock(woken->mutex);
      woken->keys.insert(key);
    }
    wake();
  };
  entry.runner = std::make_unique<ServiceRunner>(key.namespace_name + "/" + key.name,
                                                 RunnerServices{.node = *entry.node,
                                                                .config = services_.config,
                                                                .say = services_.say,
                                                                .gateway = services_.gateway,
                                                                .ports = services_.ports,
                                                                .records = services_.records});
}

void ServiceSet::Wake(const ObjectKey& key) {
  const base::MutexLock lock(woken_->mutex);
  woken_->keys.insert(key);
}

ServiceSet::Keys ServiceSet::TakeDue(model::ScaleTime now) {
  Keys due;
  {
    const base::MutexLock lock(woken_->mutex);
    due.swap(woken_->keys);
  }
  touched_.insert(due.begin(), due.end());
  if (now - swept_ >= kSweepEvery) {
    swept_ = now;
    due.insert(active_.begin(), active_.end());
    touched_.insert(active_.begin(), active_.end());
  }
  if (now - swept_all_ >= kSweepAllEvery) {
    swept_all_ = now;
    for (const auto& [key, entry] : entries_) due.insert(due.end(), key);
  }
  return due;
}

bool ServiceSet::TickOne(const ObjectKey& key, model::ScaleTime now) {
  const auto found = entries_.find(key);
  if (found == entries_.end()) return false;
  ServiceRunner& runner = *found->second.runner;
  const bool changed = runner.Tick(now);
  if (runner.gone()) {
    active_.erase(key);
    entries_.erase(found);
    rerouted_.insert(key);
    return true;
  }
  if (runner.idle()) {
    active_.erase(key);
  } else if (active_.insert(key).second) {
    touched_.insert(key);
  }
  if (!changed) return false;
  touched_.insert(key);
  rerouted_.insert(key);
  return true;
}

bool ServiceSet::Tick(model::ScaleTime now) {
  bool changed = false;
  for (const ObjectKey& key : TakeDue(now)) changed |= TickOne(key, now);
  return changed;
}

void ServiceSet::UpdateRoutes(gateway::RouteTable& table) {
  for (const ObjectKey& key : std::exchange(rerouted_, {})) {
    gateway::RouteList routes;
    const auto found = entries_.find(key);
    if (found != entries_.end()) found->second.runner->AddRoutes(routes);
    table.Replace(key.resource + "/" + key.namespace_name + "/" + key.name, std::move(routes));
  }
}

ServiceRunner* ServiceSet::Find(const std::string& namespace_name, const std::string& name) const {
  const auto found = entries_.find(apiserver::Registry::KeyOf(ServiceType(), namespace_name, name));
  return found == entries_.end() || found->second.removed ? nullptr : found->second.runner.get();
}

std::string ServiceSet::UrlOf(const std::string& namespace_name, const std::string& name) const {
  const ServiceRunner* const runner = Find(namespace_name, name);
  return runner == nullptr ? std::string() : runner->Url();
}

uint64_t ServiceSet::VersionOf(const ObjectKey& key) const {
  const auto found = entries_.find(key);
  return found == entries_.end() || found->second.removed ? 0 : found->second.version;
}

void ServiceSet::Clear() {
  for (const auto& [key, entry] : entries_) entry.runner->Remove();
  entries_.clear();
}

}  // namespace inferd::local

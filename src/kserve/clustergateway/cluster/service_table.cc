#include "kserve/clustergateway/cluster/service_table.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "data/manifest/problem.h"
#include "data/manifest/value_path.h"
#include "kserve/model/reconcile/revision_plan.h"

namespace inferd::clustergateway {

namespace {

using kubernetes::ObjectName;
using model::ComponentKind;
using model::ComponentObjectName;
using model::InferenceService;

constexpr uint32_t kAll = 100;

std::string KeyOf(const ObjectName& name) { return name.namespace_name + "/" + name.name; }

// Returns "iris.models.example" for "http://iris.models.example:80/v1".
std::string HostOf(const std::string& url) {
  const size_t scheme = url.find("://");
  if (scheme == std::string::npos) return {};
  const std::string rest = url.substr(scheme + 3);
  return rest.substr(0, rest.find_first_of(":/"));
}

std::vector<ComponentKind> KindsOf(const InferenceService& service) {
  std::vector<ComponentKind> kinds = {ComponentKind::kPredictor};
  if (service.transformer.has_value()) kinds.push_back(ComponentKind::kTransformer);
  if (service.explainer.has_value()) kinds.push_back(ComponentKind::kExplainer);
  return kinds;
}

}  // namespace

void ServiceTable::SetConfig(const manifest::Value* config_map) {
  const manifest::Value* const data = config_map == nullptr ? nullptr : config_map->Find("data");
  manifest::Problems problems;
  if (data == nullptr || (data->is(manifest::Kind::kMap) && data->members().empty())) {
    problems.push_back({.message = "it is missing or has no entries"});
  } else {
    model::InferenceServiceConfig config = model::ReadInferenceServiceConfig(*config_map, problems);
    if (problems.empty()) {
      config_ = std::move(config);
      has_config_ = true;
    }
  }
  for (const manifest::Problem& problem : problems) {
    logger_.Warning("inferenceservice-config cannot be used; what it said last goes on",
                    {{"reason", problem.ToString("")}});
  }
  for (const auto& [name, service] : services_) Touch(name);
}

void ServiceTable::SetService(const ObjectName& name, const manifest::Value* document) {
  Service& service = services_[name];
  service.object.reset();
  if (document != nullptr) {
    // The controller reports problems of the object.
    manifest::Problems problems;
    service.object = model::ReadInferenceService(*document, problems);
  }
  Touch(name);
}

void ServiceTable::SetDeployment(const ObjectName& name, const manifest::Value* document) {
  auto live = document == nullptr ? std::nullopt : model::ReadRevision(*document);
  const auto found = revisions_.find(name);
  if (!live.has_value()) {
    if (found == revisions_.end()) return;
    const ObjectName service = {name.namespace_name, found->second->live().service};
    services_[service].revisions.erase(name.name);
    revisions_.erase(found);
    return Touch(service);
  }
  const ObjectName service = {name.namespace_name, live->service};
  if (found != revisions_.end() && found->second->live().made_of == live->made_of &&
      found->second->live().service_uid == live->service_uid) {
    // The change does not affect routes.
    return found->second->Update(*std::move(live));
  }
  auto& revision = revisions_[name];
  revision = std::make_unique<ServedRevision>(*std::move(live), wake_);
  if (const auto places = places_.find(name); places != places_.end()) revision->SetPlaces(places->second, share_);
  services_[service].revisions.insert(name.name);
  Touch(service);
}

void ServiceTable::SetPlaces(const ObjectName& revision, std::vector<gateway::ReplicaPlace> places) {
  if (const auto found = revisions_.find(revision); found != revisions_.end()) found->second->SetPlaces(places, share_);
  if (places.empty()) {
    places_.erase(revision);
  } else {
    places_.insert_or_assign(revision, std::move(places));
  }
}

void ServiceTable::SetShare(const GatewayShare& share) {
  if (std::exchange(share_, share) == share) return;
  for (const auto& [name, places] : places_) {
    if (const auto found = revisions_.find(name); found != revisions_.end()) found->second->SetPlaces(places, share_);
  }
}

bool ServiceTable::UpdateRoutes() {
  const std::set<ObjectName> touched = std::exchange(touched_, {});
  for (const ObjectName& name : touched) {
    const auto found = services_.find(name);
    if (found == services_.end()) continue;
    routes_.Replace(KeyOf(name), RoutesOf(name, found->second));
    if (!found->second.object.has_value() && found->second.revisions.empty()) services_.erase(found);
  }
  return !touched.empty();
}

gateway::RouteList ServiceTable::RoutesOf(const ObjectName& name, Service& service) {
  gateway::RouteList list;
  std::set<std::string> reachable;
  if (service.object.has_value() && !service.revisions.empty()) {
    std::vector<gateway::ComponentShares> components;
    for (const ComponentKind kind : KindsOf(*service.object)) {
      components.push_back(SharesOf(service, kind, reachable));
    }
    const base::Status added = gateway::AddServiceRoutes(*service.object, components, {config_, true}, list);
    if (!added.ok())
      logger_.Warning("a service has no routes", {{"service", KeyOf(name)}, {"reason", added.message()}});
    if (!has_config_) AddWrittenHosts(*service.object, components, list);
  }
  for (const std::string& revision : service.revisions) {
    revisions_.at({name.namespace_name, revision})->SetReachable(reachable.contains(revision));
  }
  return list;
}

void ServiceTable::AddWrittenHosts(const InferenceService& service,
                                   const std::vector<gateway::ComponentShares>& components,
                                   gateway::RouteList& routes) {
  const gateway::ComponentShares* entry = nullptr;
  for (const gateway::ComponentShares& component : components) {
    if (component.kind != ComponentKind::kExplainer) entry = &component;
    const std::string host = HostOf(
        manifest::TextAt(service.document, {"status", "components", model::ComponentKindName(component.kind), "url"}));
    if (!host.empty()) gateway::AddComponentRoutes(host, component, {}, routes);
  }
  const std::string host = HostOf(manifest::TextAt(service.document, {"status", "url"}));
  if (entry != nullptr && !host.empty()) gateway::AddComponentRoutes(host, *entry, {}, routes);
}

gateway::ComponentShares ServiceTable::SharesOf(const Service& service, ComponentKind kind,
                                                std::set<std::string>& reachable) const {
  gateway::ComponentShares shares{.kind = kind, .timeout = std::chrono::seconds(0)};
  const auto add = [&](const ServedRevision& revision, uint32_t percent, const std::string& tag) {
    shares.destinations.push_back({.backend = revision.backend(), .percent = percent, .tag = tag});
    shares.timeout = std::max<std::chrono::milliseconds>(shares.timeout, revision.live().timeout);
    reachable.insert(revision.live().name);
  };
  uint32_t rest = kAll;
  for (const model::TrafficTarget& target : model::ReadTraffic(service.object->document, kind)) {
    const ServedRevision* const revision = Find(service, target.revision);
    if (revision == nullptr) continue;
    const uint32_t percent = std::min(static_cast<uint32_t>(target.percent), rest);
    rest -= percent;
    add(*revision, percent, target.tag);
  }
  const ServedRevision* const newest = Newest(service, ComponentObjectName(*service.object, kind));
  if (newest == nullptr) return shares;
  if (shares.destinations.empty()) add(*newest, 0, "");
  // The newest revision must be able to become ready even if it has no share yet.
  reachable.insert(newest->live().name);
  shares.destinations.front().percent += rest;
  return shares;
}

ServedRevision* ServiceTable::Find(const Service& service, const std::string& revision) const {
  if (!service.revisions.contains(revision)) return nullptr;
  const auto found = revisions_.find({service.object->metadata.namespace_name, revision});
  if (found == revisions_.end() || found->second->live().service_uid != service.object->metadata.uid) return nullptr;
  return found->second.get();
}

ServedRevision* ServiceTable::Newest(const Service& service, const std::string& component) const {
  ServedRevision* newest = nullptr;
  for (const std::string& name : service.revisions) {
    ServedRevision* const revision = Find(service, name);
    if (revision == nullptr || revision->live().component != component) continue;
    if (newest == nullptr || revision->live().number > newest->live().number) newest = revision;
  }
  return newest;
}

}  // namespace inferd::clustergateway

#include "kserve/local/service_runner.h"

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "data/manifest/value_path.h"
#include "kserve/local/local_pod.h"
#include "kserve/model/api/annotations.h"
#include "kserve/model/reconcile/desired_objects.h"
#include "kserve/model/resolve/model_address.h"
#include "kserve/model/status/trained_model_status.h"

namespace inferd::local {

namespace {

using model::ComponentKind;
using model::ComponentObjectName;
using model::InferenceService;

}  // namespace

void ServiceRunner::Apply(const InferenceService& service, std::span<const model::ServingRuntime* const> runtimes,
                          model::ScaleTime now) {
  std::map<ComponentKind, model::Rollout> rollouts;
  for (const auto& [kind, component] : components_) rollouts.emplace(kind, component.rollout());
  auto desired = model::MakeDesiredObjects(service, runtimes, {}, services_.config, rollouts);
  if (!desired.has_value()) {
    failure_ = desired.error();
    return services_.say(true, name_ + ": " + desired.error().reason + ": " + desired.error().Explain());
  }
  service_ = service;
  failure_.reset();
  mode_ = desired->mode;
  protocol_ = desired->pods.front().protocol_version;
  removed_ = false;
  const bool tag_routing = service_.metadata.annotation(model::kTagRoutingAnnotation) == "true";
  std::set<ComponentKind> given;
  for (model::ResolvedPod& pod : desired->pods) {
    const ComponentKind kind = pod.kind;
    given.insert(kind);
    components_.try_emplace(kind, name_, services_)
        .first->second.Apply({.object = ComponentObjectName(service_, kind),
                              .service = service_.metadata.name,
                              .service_uid = manifest::TextAt(service_.document, {"metadata", "uid"}),
                              .mode = desired->mode,
                              .pod = std::move(pod),
                              .tag_routing = tag_routing,
                              .written = model::ReadRollout(service_.document, kind),
                              .localize =
                                  [this](model::ResolvedPod made) {
                                    const std::string place = PredictorPlace(made);
                                    return MakeLocal(std::move(made), service_, place);
                                  }},
                             now);
  }
  for (auto& [kind, component] : components_) {
    if (!given.contains(kind)) component.Remove();
  }
  SetModels(models_);
}

std::string ServiceRunner::PredictorPlace(const model::ResolvedPod& pod) const {
  const std::string path = LocalPath(service_, ComponentKind::kPredictor);
  if (services_.ports != nullptr && AsksOverGrpc(pod)) {
    auto place = services_.ports->PlaceOf(path);
    if (place.has_value()) return *std::move(place);
    services_.say(true, name_ + ": the predictor has no port for gRPC: " + place.error().message());
  }
  return services_.gateway() + path;
}

void ServiceRunner::Remove() {
  removed_ = true;
  for (auto& [kind, component] : components_) component.Remove();
}

bool ServiceRunner::gone() const {
  return removed_ && std::ranges::all_of(components_, [](const auto& entry) { return entry.second.gone(); });
}

bool ServiceRunner::idle() const {
  return std::ranges::all_of(components_, [](const auto& entry) { return entry.second.idle(); });
}

bool ServiceRunner::Tick(model::ScaleTime now) {
  bool changed = false;
  for (auto& [kind, component] : components_) changed |= component.Tick(now);
  if (!removed_) SayState();
  return changed;
}

const ComponentRunner* ServiceRunner::Find(ComponentKind kind) const {
  const auto found = components_.find(kind);
  return found == components_.end() || found->second.removed() ? nullptr : &found->second;
}

void ServiceRunner::AddRoutes(gateway::RouteList& routes) const {
  if (removed_) return;
  std::vector<gateway::ComponentShares> shares;
  for (const auto& [kind, component] : components_) {
    if (!component.removed()) shares.push_back(component.shares());
  }
  const base::Status added = gateway::AddServiceRoutes(service_, shares, {services_.config}, routes);
  if (!added.ok()) services_.say(true, name_ + ": " + added.message());
  for (const gateway::ComponentShares& component : shares) AddLocalRoutes(component, routes);
}

void ServiceRunner::AddLocalRoutes(const gateway::ComponentShares& component, gateway::RouteList& routes) const {
  const std::string path = LocalPath(service_, component.kind);
  gateway::Route form;
  form.strip_prefix = path;
  form.path_prefix = path + "/";
  gateway::AddComponentRoutes("*", component, std::move(form), routes);
  if (services_.ports == nullptr) return;
  gateway::RouteList list;
  gateway::AddComponentRoutes("*", component, {}, list);
  auto own = std::make_shared<gateway::RouteTable>();
  own->Replace("", std::move(list));
  services_.ports->SetRoutes(path, std::move(own));
}

model::ServiceState ServiceRunner::state() const {
  model::ServiceState state{.failure = failure_, .mode = mode_, .url = Url(), .components = {}};
  for (const auto& [kind, component] : components_) {
    if (!component.removed()) state.components.push_back(component.state());
  }
  return state;
}

std::map<std::string, std::shared_ptr<const node::ReplicaLog>> ServiceRunner::logs() const {
  std::map<std::string, std::shared_ptr<const node::ReplicaLog>> logs;
  for (const auto& [kind, component] : components_) logs.merge(component.logs());
  return logs;
}

void ServiceRunner::SetModels(std::vector<node::NamedModel> models) {
  models_ = std::move(models);
  const auto found = components_.find(ComponentKind::kPredictor);
  if (found != components_.end()) found->second.SetModels(models_);
}

std::map<std::string, node::NamedModelState> ServiceRunner::models() const {
  const ComponentRunner* const predictor = Find(ComponentKind::kPredictor);
  return predictor == nullptr ? std::map<std::string, node::NamedModelState>() : predictor->models();
}

bool ServiceRunner::takes_models() const {
  const ComponentRunner* const predictor = Find(ComponentKind::kPredictor);
  return predictor != nullptr && predictor->pod().annotations.contains(model::kModelDirAnnotation);
}

std::optional<int64_t> ServiceRunner::MemoryLimitBytes() const {
  const ComponentRunner* const predictor = Find(ComponentKind::kPredictor);
  return predictor == nullptr ? std::nullopt : model::MemoryLimitOf(predictor->pod().pod_spec);
}

std::string ServiceRunner::Url() const { return removed_ ? "" : model::AddressUrl(service_, protocol_); }

void ServiceRunner::SayState() {
  std::string state;
  for (const auto& [kind, component] : components_) {
    const std::string each = component.Describe();
    state += (state.empty() || each.empty() ? "" : "; ") + each;
  }
  if (state == said_) return;
  said_ = state;
  services_.say(false, name_ + ": " + state);
}

}  // namespace inferd::local

#include "controller/service_runner.h"

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "controller/local_pod.h"
#include "controlplane/api/annotations.h"
#include "controlplane/reconcile/desired_objects.h"
#include "controlplane/resolve/model_address.h"
#include "controlplane/status/trained_model_status.h"
#include "manifest/value_path.h"

namespace inferd::controller {

namespace {

using controlplane::ComponentKind;
using controlplane::ComponentObjectName;
using controlplane::InferenceService;

}  // namespace

void ServiceRunner::Apply(const InferenceService& service,
                          std::span<const controlplane::ServingRuntime* const> runtimes, controlplane::ScaleTime now) {
  std::map<ComponentKind, controlplane::Rollout> rollouts;
  for (const auto& [kind, component] : components_) rollouts.emplace(kind, component.rollout());
  auto desired = controlplane::MakeDesiredObjects(service, runtimes, {}, services_.config, rollouts);
  if (!desired.has_value()) {
    failure_ = desired.error();
    return services_.say(true, name_ + ": " + desired.error().reason + ": " + desired.error().Explain());
  }
  service_ = service;
  failure_.reset();
  mode_ = desired->mode;
  protocol_ = desired->pods.front().protocol_version;
  removed_ = false;
  const bool tag_routing = service_.metadata.annotation(controlplane::kTagRoutingAnnotation) == "true";
  std::set<ComponentKind> given;
  for (controlplane::ResolvedPod& pod : desired->pods) {
    const ComponentKind kind = pod.kind;
    given.insert(kind);
    components_.try_emplace(kind, name_, services_)
        .first->second.Apply({.object = ComponentObjectName(service_, kind),
                              .service = service_.metadata.name,
                              .service_uid = manifest::TextAt(service_.document, {"metadata", "uid"}),
                              .mode = desired->mode,
                              .pod = std::move(pod),
                              .tag_routing = tag_routing,
                              .written = controlplane::ReadRollout(service_.document, kind),
                              .localize =
                                  [this](controlplane::ResolvedPod made) {
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

std::string ServiceRunner::PredictorPlace(const controlplane::ResolvedPod& pod) const {
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

bool ServiceRunner::Tick(controlplane::ScaleTime now) {
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
  std::vector<routes::ComponentShares> shares;
  for (const auto& [kind, component] : components_) {
    if (!component.removed()) shares.push_back(component.shares());
  }
  const base::Status added = routes::AddServiceRoutes(service_, shares, {services_.config}, routes);
  if (!added.ok()) services_.say(true, name_ + ": " + added.message());
  for (const routes::ComponentShares& component : shares) AddLocalRoutes(component, routes);
}

void ServiceRunner::AddLocalRoutes(const routes::ComponentShares& component, gateway::RouteList& routes) const {
  const std::string path = LocalPath(service_, component.kind);
  gateway::Route form;
  form.strip_prefix = path;
  form.path_prefix = path + "/";
  routes::AddComponentRoutes("*", component, std::move(form), routes);
  if (services_.ports == nullptr) return;
  gateway::RouteList list;
  routes::AddComponentRoutes("*", component, {}, list);
  auto own = std::make_shared<gateway::RouteTable>();
  own->Replace("", std::move(list));
  services_.ports->SetRoutes(path, std::move(own));
}

controlplane::ServiceState ServiceRunner::state() const {
  controlplane::ServiceState state{.failure = failure_, .mode = mode_, .url = Url(), .components = {}};
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
  return predictor != nullptr && predictor->pod().annotations.contains(controlplane::kModelDirAnnotation);
}

std::optional<int64_t> ServiceRunner::MemoryLimitBytes() const {
  const ComponentRunner* const predictor = Find(ComponentKind::kPredictor);
  return predictor == nullptr ? std::nullopt : controlplane::MemoryLimitOf(predictor->pod().pod_spec);
}

std::string ServiceRunner::Url() const { return removed_ ? "" : controlplane::AddressUrl(service_, protocol_); }

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

}  // namespace inferd::controller

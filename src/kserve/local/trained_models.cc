#include "kserve/local/trained_models.h"

#include <optional>
#include <set>
#include <utility>
#include <variant>
#include <vector>

#include "data/manifest/print.h"
#include "kserve/model/status/trained_model_status.h"

namespace inferd::local {

namespace {

using apiserver::ObjectKey;
using model::TrainedModel;

const apiserver::ResourceType& Type() {
  static const apiserver::ResourceType& kType = *apiserver::FindKind("serving.kserve.io/v1alpha1", "TrainedModel");
  return kType;
}

}  // namespace

void TrainedModels::Follow(const LocalCluster::Changes& changes, const ServiceSet& services) {
  std::set<ObjectKey> keys;
  std::set<ObjectKey> touched;
  for (const ObjectKey& key : changes.keys) {
    if (key.resource == Type().resource()) keys.insert(key);
    if (key.resource == ServiceType().resource()) touched.insert(key);
  }
  if (changes.decisions) {
    for (const ObjectKey& key : cluster_.KeysOf(Type().resource())) keys.insert(key);
    for (const auto& [key, entry] : entries_) keys.insert(key);
  }
  for (const ObjectKey& key : keys) Read(key, touched);
  if (changes.decisions) {
    for (const auto& [service, models] : by_service_) touched.insert(service);
  }
  for (const ObjectKey& service : touched) GiveTo(service, services);
}

ObjectKey TrainedModels::ServiceOf(const ObjectKey& key, const TrainedModel& model) {
  return {ServiceType().resource(), key.namespace_name, model.inference_service};
}

void TrainedModels::Read(const ObjectKey& key, std::set<ObjectKey>& touched) {
  if (const auto before = entries_.find(key); before != entries_.end()) {
    const ObjectKey service = ServiceOf(key, before->second.model);
    by_service_[service].erase(key);
    touched.insert(service);
  }
  auto object = cluster_.Find(key);
  auto* const model = object.has_value() ? std::get_if<TrainedModel>(&object->typed) : nullptr;
  if (model == nullptr) {
    entries_.erase(key);
    return;
  }
  const ObjectKey service = ServiceOf(key, *model);
  by_service_[service].insert(key);
  touched.insert(service);
  entries_[key].model = std::move(*model);
}

void TrainedModels::GiveTo(const ObjectKey& key, const ServiceSet& services) {
  const auto found = by_service_.find(key);
  ServiceRunner* const service = services.Find(key.namespace_name, key.name);
  // A service that never had models needs no empty list.
  if (found == by_service_.end() || service == nullptr) return;
  std::vector<const TrainedModel*> all;
  for (const ObjectKey& name : found->second) all.push_back(&entries_.at(name).model);
  const std::vector<bool> fit = model::FitInMemory(all, service->MemoryLimitBytes());
  std::vector<node::NamedModel> models;
  size_t i = 0;
  for (const ObjectKey& name : found->second) {
    Entry& entry = entries_.at(name);
    entry.fits = fit[i++];
    if (entry.fits) models.push_back({.name = name.name, .uri = entry.model.storage_uri});
  }
  service->SetModels(std::move(models));
  if (found->second.empty()) by_service_.erase(found);
}

void TrainedModels::Write(const ServiceSet& services) {
  for (auto& [key, entry] : entries_) {
    const ServiceRunner* const service = services.Find(key.namespace_name, entry.model.inference_service);
    model::TrainedModelState state;
    if (service != nullptr) {
      const auto models = service->models();
      const auto found = models.find(key.name);
      state = {.there = true,
               .ready = IsReady(service->state()),
               .takes_models = service->takes_models(),
               .fits = entry.fits,
               .loaded = found != models.end() && found->second.loaded,
               .failure = found == models.end() ? std::string() : found->second.failure,
               .url = service->Url()};
    }
    const manifest::Value made = model::MakeTrainedModelStatus(entry.model, state);
    std::string text = manifest::ToJson(made);
    if (text == entry.written) continue;
    entry.written = std::move(text);
    writes_.Submit(key, [this, key, made] { return WriteStatus(key, made); });
  }
}

bool TrainedModels::WriteStatus(const ObjectKey& key, const manifest::Value& made) {
  const auto written = cluster_.registry().Change(
      Type(), key.namespace_name, key.name,
      [&](const manifest::Value& live) -> apiserver::ApiResult<manifest::Value> {
        manifest::Value object = live;
        object.Set("status", model::WithTimes(made, live.Find("status"), cluster_.registry().Now()));
        return object;
      },
      {.manager = "inferd-controller", .status = true, .internal = true});
  // A model that was deleted meanwhile needs no status.
  return written.has_value() || written.error().reason == "NotFound";
}

}  // namespace inferd::local

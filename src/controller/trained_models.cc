#include "controller/trained_models.h"

#include <optional>
#include <set>
#include <utility>
#include <variant>
#include <vector>

#include "controller/state/trained_model_status.h"
#include "manifest/print.h"
#include "manifest/quantity.h"

namespace inferd::controller {

namespace {

using controlplane::TrainedModel;
using objectstore::ObjectKey;

const apiserver::ResourceType& Type() {
  static const apiserver::ResourceType& kType = *apiserver::FindKind("serving.kserve.io/v1alpha1", "TrainedModel");
  return kType;
}

int64_t MemoryOf(const TrainedModel& model) {
  const auto memory = manifest::ParseQuantity(model.memory);
  return memory.has_value() ? memory->value() : 0;
}

}  // namespace

void TrainedModels::Follow(const LocalCluster::Changes& changes, const ServiceSet& services) {
  bool given = changes.decisions;
  std::set<ObjectKey> keys;
  for (const ObjectKey& key : changes.keys) {
    if (key.resource == Type().resource()) keys.insert(key);
    given |= key.resource == ServiceType().resource();
  }
  if (changes.decisions) {
    for (const ObjectKey& key : cluster_.KeysOf(Type().resource())) keys.insert(key);
  }
  for (const ObjectKey& key : keys) Read(key);
  if (given || !keys.empty()) GiveToServices(services);
}

void TrainedModels::Read(const ObjectKey& key) {
  auto object = cluster_.Find(key);
  auto* const model = object.has_value() ? std::get_if<TrainedModel>(&object->typed) : nullptr;
  if (model == nullptr) {
    entries_.erase(key);
  } else {
    entries_[key].model = std::move(*model);
  }
}

void TrainedModels::GiveToServices(const ServiceSet& services) {
  std::map<ServiceRunner*, std::vector<node::NamedModel>> models;
  services.Visit({}, [&](const ObjectKey& key, const ServiceRunner&, uint64_t) {
    models[services.Find(key.namespace_name, key.name)];
    return true;
  });
  std::map<ServiceRunner*, int64_t> used;
  for (auto& [key, entry] : entries_) {
    ServiceRunner* const service = services.Find(key.namespace_name, entry.model.inference_service);
    if (service == nullptr) continue;
    const std::optional<int64_t> limit = service->MemoryLimitBytes();
    const int64_t memory = MemoryOf(entry.model);
    entry.fits = !limit.has_value() || memory <= *limit - used[service];
    if (!entry.fits) continue;
    used[service] += memory;
    models[service].push_back({.name = key.name, .uri = entry.model.storage_uri});
  }
  for (auto& [service, given] : models) service->SetModels(std::move(given));
}

void TrainedModels::Write(const ServiceSet& services) {
  for (auto& [key, entry] : entries_) {
    const ServiceRunner* const service = services.Find(key.namespace_name, entry.model.inference_service);
    TrainedModelState state;
    if (service != nullptr) {
      const auto models = service->models();
      const auto found = models.find(key.name);
      state = {.there = true,
               .ready = IsReady(service->state()),
               .takes_models = service->takes_models(),
               .fits = entry.fits,
               .model = found == models.end() ? node::NamedModelState() : found->second,
               .url = service->Url()};
    }
    const manifest::Value made = MakeTrainedModelStatus(entry.model, state);
    std::string text = manifest::ToJson(made);
    if (text == entry.written) continue;
    // What the store does not take now is written later.
    if (WriteStatus(key, made)) entry.written = std::move(text);
  }
}

bool TrainedModels::WriteStatus(const ObjectKey& key, const manifest::Value& made) {
  const auto written = cluster_.registry().Change(
      Type(), key.namespace_name, key.name,
      [&](const manifest::Value& live) -> apiserver::ApiResult<manifest::Value> {
        manifest::Value object = live;
        object.Set("status", WithTimes(made, live.Find("status"), cluster_.registry().Now()));
        return object;
      },
      {.manager = "inferd-controller", .status = true, .internal = true});
  return written.has_value();
}

}  // namespace inferd::controller

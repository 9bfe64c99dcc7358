#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "data/manifest/value.h"
#include "kserve/model/api/trained_model.h"
#include "kserve/model/status/service_state.h"

namespace inferd::model {

// The state of a TrainedModel and of the service that it names.
struct TrainedModelState {
  bool there = false;  // true if the service exists
  bool ready = false;
  bool takes_models = false;
  bool fits = true;          // true if the model fits in the service's memory beside the others
  bool loaded = false;       // true if all ready replicas have loaded the model
  std::string failure = {};  // why it is not loaded; empty while it is loading
  std::string url = {};      // URL of the service's predictions
};

// Returns the memory limit of a component's first container (resources.limits.memory), in bytes. nullopt if it has
// none.
std::optional<int64_t> MemoryLimitOf(const manifest::Value& pod_spec);
// Returns for each of a service's models whether it fits in the service's memory, beside the earlier models that fit.
std::vector<bool> FitInMemory(std::span<const TrainedModel* const> models, std::optional<int64_t> limit);

// Returns true if all components of the service have revisions that take requests.
bool IsReady(const ServiceState& state);

// Returns the status of a TrainedModel, without times (KServe 0.10: TrainedModelStatus): its conditions
// InferenceServiceReady, IsMMSPredictor, MemoryResourceAvailable and Ready, and its URL. Unlike KServe's, Ready
// includes the server's state of the model, and the reason if the model cannot be used. Thread-safe.
manifest::Value MakeTrainedModelStatus(const TrainedModel& model, const TrainedModelState& state);

// Returns the status with the time of each condition's last change: its time in `before` (null if none), else `now`.
manifest::Value WithTimes(manifest::Value status, const manifest::Value* before, const std::string& now);

}  // namespace inferd::model

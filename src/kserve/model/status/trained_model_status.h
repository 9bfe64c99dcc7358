#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "data/manifest/value.h"
#include "kserve/model/api/trained_model.h"
#include "kserve/model/status/service_state.h"

namespace inferd::model {

// What has become of a TrainedModel and of the service that it names.
struct TrainedModelState {
  bool there = false;  // the service
  bool ready = false;
  bool takes_models = false;
  bool fits = true;          // in the service's memory, beside the others
  bool loaded = false;       // the model, by all replicas that are ready
  std::string failure = {};  // why it is not; empty: it is on its way
  std::string url = {};      // of the service's predictions
};

// What the first container of a component's pods may use (resources.limits.memory); nullopt: it has no limit.
std::optional<int64_t> MemoryLimitOf(const manifest::Value& pod_spec);
// Whether each of a service's models fits into its memory, beside those before it that do.
std::vector<bool> FitInMemory(std::span<const TrainedModel* const> models, std::optional<int64_t> limit);

// The service's components have revisions that take requests.
bool IsReady(const ServiceState& state);

// The status of a TrainedModel (KServe 0.10: TrainedModelStatus) without times: its conditions InferenceServiceReady,
// IsMMSPredictor, MemoryResourceAvailable and Ready, and where it is asked for. What its server says of it is in Ready,
// where KServe does not look, and why the model cannot be used, where that is so. Thread-safe.
manifest::Value MakeTrainedModelStatus(const TrainedModel& model, const TrainedModelState& state);

// A status with the time of each condition's last change: `now`, or what it had `before` (null: no status).
manifest::Value WithTimes(manifest::Value status, const manifest::Value* before, const std::string& now);

}  // namespace inferd::model

#pragma once

#include <span>
#include <string>

#include "data/manifest/value.h"
#include "kserve/model/api/inference_service.h"
#include "kserve/model/api/trained_model.h"

namespace inferd::model {

// TrainedModels of one predictor, loaded and unloaded at run time (KServe 0.10: multi-model serving). All functions are
// thread-safe.

// Returns true if the predictor serves TrainedModels: it has no model of its own, or its container says
// MULTI_MODEL_SERVER=true.
bool IsMultiModel(const InferenceService& service);

// Returns the name of the ConfigMap that lists the models: "modelconfig-digits-0".
std::string ModelConfigName(const InferenceService& service);

// Returns the ConfigMap's value of "models.json". It lists those of `models` that name the service.
std::string ModelsJson(const InferenceService& service, std::span<const TrainedModel* const> models);

}  // namespace inferd::model

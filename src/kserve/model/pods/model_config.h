#pragma once

#include <span>
#include <string>

#include "data/manifest/value.h"
#include "kserve/model/api/inference_service.h"
#include "kserve/model/api/trained_model.h"

namespace inferd::model {

// Models that come and go in one predictor (KServe 0.10: multi-model serving). Thread-safe, all of them.

// Whether the predictor is made for that: it has no model of its own, or its container says MULTI_MODEL_SERVER=true.
bool IsMultiModel(const InferenceService& service);

// The ConfigMap that lists them: "modelconfig-digits-0".
std::string ModelConfigName(const InferenceService& service);

// What it has under "models.json": the models that name the service as theirs.
std::string ModelsJson(const InferenceService& service, std::span<const TrainedModel* const> models);

}  // namespace inferd::model

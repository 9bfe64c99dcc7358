#pragma once

#include <string_view>

#include "kserve/model/api/inference_service.h"

namespace inferd::model {

// Adds the settings that models need on KServe's default runtimes of these names (KServe 0.10: SetRuntimeDefaults):
//
// - kserve-mlserver: protocol v2; MLSERVER_MODEL_NAME and MLSERVER_MODEL_URI, or without storage
//   MLSERVER_LOAD_MODELS_AT_STARTUP=false; the label `modelClass`;
// - kserve-torchserve: protocol v1; the label `serviceEnvelope`;
// - kserve-tritonserver: protocol v2; without storage --model-control-mode=explicit.
//
// The model's own settings win. `labels` are the service's labels, which the runtime's placeholders refer to.
void ApplyRuntimeDefaults(std::string_view runtime, std::string_view service_name, ModelSpec& model, StringMap& labels);

}  // namespace inferd::model

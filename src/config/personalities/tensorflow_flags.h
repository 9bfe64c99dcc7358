#pragma once

#include <span>

#include "config/personality.h"

namespace inferd::config {

// Returns every flag of tensorflow_model_server.
std::span<const PersonalityFlag> TensorflowFlags();

// Reads the flags that are interpreted together or name files: ports, models, batching, TLS of gRPC, metrics, polling.
// Reads the files. If no flag names a model, uses the variables of its container image: MODEL_NAME and MODEL_BASE_PATH.
base::Result<CombinedFlags> CombineTensorflowFlags(const GivenFlags& given);

}  // namespace inferd::config

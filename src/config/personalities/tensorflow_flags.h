#pragma once

#include <span>

#include "config/personality.h"

namespace inferd::config {

// Every flag of tensorflow_model_server.
std::span<const PersonalityFlag> TensorflowFlags();

// Those that mean something together or name files: ports, models, batching, TLS of gRPC, metrics, polling. Reads the
// files. Where no flag names a model, the variables of its container image do: MODEL_NAME and MODEL_BASE_PATH.
base::Result<CombinedFlags> CombineTensorflowFlags(const GivenFlags& given);

}  // namespace inferd::config

#pragma once

#include "config/model/model_config.h"

namespace inferd::repository {

// Whether a completed configuration leaves it to the model itself whether requests share executions, and its shapes do
// not settle it: what was decided is news then, for the log and for metadata.
bool ModelDecidedBatching(const config::ModelConfig& config);

}  // namespace inferd::repository

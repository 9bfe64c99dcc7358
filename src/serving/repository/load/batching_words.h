#pragma once

#include "config/model/model_config.h"

namespace inferd::repository {

// Returns true if a completed configuration lets the model's behaviour decide whether requests share executions, and
// its shapes do not settle it. The log and the metadata report the decision then.
bool ModelDecidedBatching(const config::ModelConfig& config);

}  // namespace inferd::repository

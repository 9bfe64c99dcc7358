#pragma once

#include <memory>
#include <vector>

#include "base/status.h"
#include "config/model/model_config.h"
#include "serving/core/engine.h"

namespace inferd::repository {

// Creates the instances of a completed configuration, in its order. Blocks until all are there, or one has failed.
// If the model allows it (EngineModel::parallel_instances), several are created at a time. Returns the error of the
// first instance that failed; instances that are there by then are destroyed.
base::Result<std::vector<std::unique_ptr<core::EngineInstance>>> CreateInstances(core::EngineModel& model,
                                                                                 const config::ModelConfig& config);

}  // namespace inferd::repository

#pragma once

#include "config/ensemble.h"
#include "config/model_config.pb.h"

namespace inferd::config {

// Converts the message as it is written; FindProblems() reports invalid values.
Ensemble ToEnsemble(const inference::ModelEnsembling& message);

}  // namespace inferd::config

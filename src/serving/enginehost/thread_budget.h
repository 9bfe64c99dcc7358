#pragma once

#include "config/model/model_config.h"

namespace inferd::enginehost {

// Returns the number of compute threads of one version, out of the budget of the process and including the thread that
// calls the engine. The version's instances run side by side, so they divide the budget. At least 1.
int CpuThreadShare(int budget, const config::ModelConfig& config);

}  // namespace inferd::enginehost

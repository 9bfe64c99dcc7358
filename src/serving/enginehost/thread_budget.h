#pragma once

#include "config/model/model_config.h"

namespace inferd::enginehost {

// How many compute threads one version gets out of the process-wide budget, the thread that calls the engine included:
// its instances run side by side, so they divide the budget between them. At least 1.
int CpuThreadShare(int budget, const config::ModelConfig& config);

}  // namespace inferd::enginehost

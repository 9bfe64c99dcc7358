#pragma once

#include "base/system/cpu_cores.h"
#include "inferd/engine_abi.h"

namespace inferd::kit {

// Returns the cores to which the version's threads are pinned, with base::OnCpuCores while they are created. Empty for
// any.
base::CpuCores LoadCores(const inferd_load& load);

}  // namespace inferd::kit

#pragma once

#include "base/system/cpu_cores.h"
#include "inferd/engine_abi.h"

namespace inferd::kit {

// The cores that the version's threads keep to: base::OnCpuCores, while they are made; none: any.
base::CpuCores LoadCores(const inferd_load& load);

}  // namespace inferd::kit

#pragma once

#include <cstdint>

#include "base/device_memory.h"
#include "enginehost/model/loaded_model.h"
#include "inferd/engine_abi.h"

namespace inferd::enginehost {

// Makes what an engine's table says of devices known to the process (base::CopyBytes): fills in `runtime`,
// `device_count` and `prefers_devices` of `engine`, whose table is set. Nothing, if the engine has no devices.
// FAILED_PRECONDITION: the table lacks a function, or there are too many such engines.
base::Status OpenEngineMemory(OpenedEngine& engine);

}  // namespace inferd::enginehost

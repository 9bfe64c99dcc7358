#pragma once

#include <cstdint>

#include "base/device_memory.h"
#include "inferd/engine_abi.h"
#include "serving/enginehost/model/loaded_model.h"

namespace inferd::enginehost {

// Registers the engine's device memory in the process (base::CopyBytes). Fills in `runtime`, `device_count` and
// `prefers_devices` of `engine`, whose table must be set. Does nothing if the engine has no devices.
// FAILED_PRECONDITION if the table lacks a function, or if too many engines have devices.
base::Status OpenEngineMemory(OpenedEngine& engine);

// Opens the process's pinned memory through the engine, for an instance on its GPU `device`. RESOURCE_EXHAUSTED if
// there is none to be had.
base::Status OpenPinnedMemory(const OpenedEngine& engine, int32_t device);

}  // namespace inferd::enginehost

#pragma once

#include <cstdint>

#include "base/device_memory.h"
#include "inferd/engine_abi.h"
#include "serving/enginehost/model/loaded_model.h"

namespace inferd::enginehost {

// Makes what an engine's table says of devices known to the process (base::CopyBytes): fills in `runtime`,
// `device_count` and `prefers_devices` of `engine`, whose table is set. Nothing, if the engine has no devices.
// FAILED_PRECONDITION: the table lacks a function, or there are too many such engines.
base::Status OpenEngineMemory(OpenedEngine& engine);

// Has the process's pinned memory opened, by the engine, for an instance on its GPU `device`. RESOURCE_EXHAUSTED: there
// is none to be had.
base::Status OpenPinnedMemory(const OpenedEngine& engine, int32_t device);

}  // namespace inferd::enginehost

#pragma once

#include <cstddef>
#include <cstdint>

#include "inferd/engine_abi.h"

namespace inferd::fake {

// Two devices that do not exist, or as many of them as the variable FAKE_ENGINE_GPUS says. Their memory has addresses
// that no instruction of this process may touch: a server that reads or writes such an address, instead of having it
// copied, is ended. The engine itself computes by Reach().

inline constexpr int32_t kDevices = 2;

const inferd_device_memory* DeviceTable();

// Of any of the devices, each of which has addresses of its own.
void ReleaseFromDevice(void* data);

// Where the engine's own code finds bytes of `memory`: those of a device elsewhere, all others as they are.
std::byte* Reach(const inferd_memory& memory);

}  // namespace inferd::fake

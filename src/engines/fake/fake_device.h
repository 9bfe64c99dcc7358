#pragma once

#include <cstddef>
#include <cstdint>

#include "inferd/engine_abi.h"

namespace inferd::fake {

// Two devices that do not exist, or as many as the variable FAKE_ENGINE_GPUS says. No instruction of this process may
// touch the addresses of their memory: a server that reads or writes one, instead of copying, is killed. The engine
// itself computes through Reach().

inline constexpr int32_t kDevices = 2;

const inferd_device_memory* DeviceTable();

// Releases memory of any of the devices, whose address ranges differ.
void ReleaseFromDevice(void* data);

// Returns the bytes of `memory` for the engine's own code: a device's bytes are elsewhere, others stay where they are.
std::byte* Reach(const inferd_memory& memory);

}  // namespace inferd::fake

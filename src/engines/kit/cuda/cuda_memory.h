#pragma once

#include <string>

#include "engines/kit/cuda/cuda_devices.h"
#include "inferd/engine_abi.h"

// The GPUs of this process, in the form in which an engine's table has them.

namespace inferd::kit {

// Looks for them, once, before the others are called. `why_none`: the engine's library can use none, and why; empty: it
// could. Models that leave it open are on GPUs.
void OpenCudaMemory(const inferd_host* host, std::string why_none);

// device_count 0 where there are none. Lives as long as the process.
const inferd_device_memory* CudaMemory();

// Null: there are none.
CudaDevices* FindCudaDevices();

}  // namespace inferd::kit

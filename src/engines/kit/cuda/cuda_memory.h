#pragma once

#include <string>

#include "engines/kit/cuda/cuda_devices.h"
#include "inferd/engine_abi.h"

// The GPUs of this process, in the form that an engine's table needs.

namespace inferd::kit {

// Looks for GPUs, once, before the others are called. `why_none` says why the engine's library can use none; empty if
// it can. Models that leave it open run on GPUs.
void OpenCudaMemory(const inferd_host* host, std::string why_none);

// Its device_count is 0 if there are none. Lives as long as the process.
const inferd_device_memory* CudaMemory();

// Null if there are none.
CudaDevices* FindCudaDevices();

}  // namespace inferd::kit

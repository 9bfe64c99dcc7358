#pragma once

#include <cstdint>
#include <map>

#include "config/model/model_config.h"

namespace inferd::config {

// Bytes by the number of a GPU.
using GpuBytes = std::map<int32_t, int64_t>;

// Estimates the memory that a loaded version holds, the same on each GPU with its instances: inferd { gpu_memory_bytes
// } of its resolved configuration, or else the size of its files.
GpuBytes GpuMemoryOf(const ModelConfig& config, int64_t file_bytes);

}  // namespace inferd::config

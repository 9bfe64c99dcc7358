#pragma once

#include <cstdint>
#include <map>

#include "config/model/model_config.h"

namespace inferd::config {

// Bytes by the number of a GPU.
using GpuBytes = std::map<int32_t, int64_t>;

// What a loaded version is taken to hold of the GPUs that its instances are on, of each the same: what its
// configuration, which is resolved, says of that (inferd { gpu_memory_bytes }), or else the size of its files.
GpuBytes GpuMemoryOf(const ModelConfig& config, int64_t file_bytes);

}  // namespace inferd::config

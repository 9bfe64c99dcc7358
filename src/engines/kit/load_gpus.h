#pragma once

#include <cstdint>
#include <span>

#include "inferd/engine_abi.h"

namespace inferd::kit {

// Returns the GPU of each instance that is on one, ascending.
inline std::span<const int32_t> LoadGpus(const inferd_load& load) {
  if (!INFERD_HAS_FIELD(inferd_load, &load, gpu_count)) return {};
  return {load.gpus, load.gpu_count};
}

// Returns true if the load has instances on the CPU, too.
inline bool LoadsOnCpu(const inferd_load& load) {
  return !INFERD_HAS_FIELD(inferd_load, &load, on_cpu) || load.on_cpu != 0 || load.gpu_count == 0;
}

}  // namespace inferd::kit

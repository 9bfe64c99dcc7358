#pragma once

#include <chrono>
#include <cstdint>

namespace inferd::config {

// The use of GPUs, if there are any.
struct GpuOptions {
  bool metrics = true;  // nv_gpu_*, read through NVML
  std::chrono::milliseconds metrics_interval{2'000};
  // Size of the pinned memory for copies to and from GPUs, in each process that executes models there; 0 for none.
  uint64_t pinned_pool_bytes = uint64_t{256} << 20;
};

}  // namespace inferd::config

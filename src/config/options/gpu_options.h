#pragma once

#include <chrono>
#include <cstdint>

namespace inferd::config {

// What the server does with GPUs, where there are any.
struct GpuOptions {
  bool metrics = true;  // nv_gpu_*, read through NVML
  std::chrono::milliseconds metrics_interval{2'000};
  // Of memory through which copies to GPUs and back go, in each process that executes models there; 0: there is none.
  uint64_t pinned_pool_bytes = uint64_t{256} << 20;
};

}  // namespace inferd::config

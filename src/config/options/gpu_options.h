#pragma once

#include <chrono>

namespace inferd::config {

// What the server does with GPUs, where there are any.
struct GpuOptions {
  bool metrics = true;  // nv_gpu_*, read through NVML
  std::chrono::milliseconds metrics_interval{2'000};
};

}  // namespace inferd::config

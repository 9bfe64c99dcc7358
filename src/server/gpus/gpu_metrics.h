#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "base/logging.h"
#include "base/metrics/registry.h"
#include "server/gpus/nvml.h"

namespace inferd::server {

// Metrics of GPUs, with Triton's names (nv_gpu_utilization, nv_gpu_memory_total_bytes, nv_gpu_memory_used_bytes,
// nv_gpu_power_usage, nv_gpu_power_limit, nv_energy_consumption) and the label gpu_uuid. A value that a GPU does not
// report is left out. A thread reads the values, because the driver may block; the page shows the last values. Without
// the driver's library there is no metric.
class GpuMetrics final {
 public:
  // `registry` and `logger` must outlive this.
  GpuMetrics(metrics::Registry& registry, base::Logger& logger, std::chrono::milliseconds interval,
             const std::string& library = Nvml::kLibrary);
  // Waits for the driver for at most two seconds.
  ~GpuMetrics();
  GpuMetrics(const GpuMetrics&) = delete;
  GpuMetrics& operator=(const GpuMetrics&) = delete;

 private:
  class Reader;
  std::shared_ptr<Reader> reader_;  // shared with its thread
};

}  // namespace inferd::server

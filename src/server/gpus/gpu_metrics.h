#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "base/logging.h"
#include "base/metrics/registry.h"
#include "server/gpus/nvml.h"

namespace inferd::server {

// What GPUs say of themselves, as metrics with Triton's names (nv_gpu_utilization, nv_gpu_memory_total_bytes,
// nv_gpu_memory_used_bytes, nv_gpu_power_usage, nv_gpu_power_limit, nv_energy_consumption) and the label gpu_uuid. A
// figure that a GPU does not give is not on the page. Read on a thread of its own, since the driver may not answer: the
// page shows what was read last. Without the library, there is neither thread nor metric.
class GpuMetrics final {
 public:
  // `registry` and `logger` outlive this.
  GpuMetrics(metrics::Registry& registry, base::Logger& logger, std::chrono::milliseconds interval,
             const std::string& library = Nvml::kLibrary);
  // Waits for the driver no longer than two seconds.
  ~GpuMetrics();
  GpuMetrics(const GpuMetrics&) = delete;
  GpuMetrics& operator=(const GpuMetrics&) = delete;

 private:
  class Reader;
  std::shared_ptr<Reader> reader_;  // its thread's, too
};

}  // namespace inferd::server

#pragma once

#include "base/metrics/registry.h"

namespace inferd::server {

// Registers what concerns the machine's cores and memory, as the kernel counts them, under the names that Triton has:
// nv_cpu_utilization (0 to 1, since the metrics were read before), nv_cpu_memory_total_bytes, nv_cpu_memory_used_bytes.
void RegisterMachineMetrics(metrics::Registry& registry);

}  // namespace inferd::server

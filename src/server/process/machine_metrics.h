#pragma once

#include "base/metrics/registry.h"

namespace inferd::server {

// Registers metrics of the machine's cores and memory, from the kernel, with Triton's names: nv_cpu_utilization (0 to
// 1, since the last scrape), nv_cpu_memory_total_bytes, nv_cpu_memory_used_bytes.
void RegisterMachineMetrics(metrics::Registry& registry);

}  // namespace inferd::server

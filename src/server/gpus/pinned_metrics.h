#pragma once

#include <memory>

#include "base/metrics/registry.h"
#include "serving/enginehost/transfer/pinned_use.h"

namespace inferd::server {

// Registers metrics of the pinned memory pools of all processes. Triton's: nv_pinned_memory_pool_total_bytes (reserved
// by processes) and nv_pinned_memory_pool_used_bytes. inferd's: inferd_pinned_memory_blocks_total (blocks used by
// copies) and inferd_pinned_memory_refusals_total (copies for which there was no room).
void RegisterPinnedMetrics(metrics::Registry& registry, const std::shared_ptr<enginehost::PinnedUses>& uses);

}  // namespace inferd::server

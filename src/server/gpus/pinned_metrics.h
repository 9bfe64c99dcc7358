#pragma once

#include <memory>

#include "base/metrics/registry.h"
#include "serving/enginehost/transfer/pinned_use.h"

namespace inferd::server {

// The pools of pinned memory of all processes together: nv_pinned_memory_pool_total_bytes, which is what processes have
// taken, and nv_pinned_memory_pool_used_bytes, as Triton calls them; and how many blocks of it copies had, and how many
// found no room (inferd_pinned_memory_blocks_total, inferd_pinned_memory_refusals_total).
void RegisterPinnedMetrics(metrics::Registry& registry, const std::shared_ptr<enginehost::PinnedUses>& uses);

}  // namespace inferd::server

#pragma once

#include "base/byte_budget.h"
#include "base/metrics/registry.h"

namespace inferd::server {

// Registers what concerns the process as a whole, under the names that Prometheus clients use for it: CPU seconds,
// resident bytes, threads, open files, start time; and completions dropped unanswered, a fault of ours each; and which
// version of the server it is (inferd_build_info).
void RegisterProcessMetrics(metrics::Registry& registry);

// The memory of answers that clients have not read: used, limit, and how often there was no room.
void RegisterOutputMetrics(metrics::Registry& registry, const base::ByteBudget& outputs);

}  // namespace inferd::server

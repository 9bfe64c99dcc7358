#pragma once

#include "metrics/registry.h"

namespace inferd::server {

// Registers what concerns the process as a whole, under the names that Prometheus clients use for it: CPU seconds,
// resident bytes, threads, open files, start time; and completions dropped unanswered, a fault of ours each.
void RegisterProcessMetrics(metrics::Registry& registry);

}  // namespace inferd::server

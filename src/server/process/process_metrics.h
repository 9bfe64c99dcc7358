#pragma once

#include "base/byte_budget.h"
#include "base/metrics/registry.h"

namespace inferd::server {

// Registers metrics of the process, with the usual names of Prometheus clients: CPU seconds, resident bytes, threads,
// open files, start time. Also the number of completions dropped unanswered (each is a bug of inferd), and the server's
// version (inferd_build_info).
void RegisterProcessMetrics(metrics::Registry& registry);

// Registers metrics of the memory for responses that clients have not read: used bytes, limit, and refusals.
void RegisterOutputMetrics(metrics::Registry& registry, const base::ByteBudget& outputs);

}  // namespace inferd::server

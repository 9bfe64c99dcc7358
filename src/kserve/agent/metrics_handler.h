#pragma once

#include <memory>

#include "base/metrics/registry.h"
#include "net/http/http.h"

namespace inferd::agent {

// GET /metrics, as Prometheus reads it; all else is 404. Loop-bound; `registry` outlives it.
std::unique_ptr<net::HttpHandler> MakeMetricsHandler(const metrics::Registry& registry);

}  // namespace inferd::agent

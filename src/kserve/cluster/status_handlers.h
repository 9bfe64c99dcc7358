#pragma once

#include <functional>
#include <memory>

#include "base/metrics/registry.h"
#include "net/http/http.h"

namespace inferd::cluster {

// GET /healthz: this process runs; GET /readyz: `is_ready`, called on a loop. All else is 404. Loop-bound.
std::unique_ptr<net::HttpHandler> MakeHealthHandler(std::function<bool()> is_ready);

// GET /metrics, as Prometheus reads it; all else is 404. Loop-bound; `metrics` outlives it.
std::unique_ptr<net::HttpHandler> MakeMetricsHandler(const metrics::Registry& metrics);

}  // namespace inferd::cluster

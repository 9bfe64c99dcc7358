#pragma once

#include <functional>
#include <memory>

#include "base/metrics/registry.h"
#include "net/http/http.h"

namespace inferd::cluster {

// Serves GET /healthz (200 while the process runs) and GET /readyz (the result of `is_ready`, which is called on a
// loop). Other requests get 404. Loop-bound.
std::unique_ptr<net::HttpHandler> MakeHealthHandler(std::function<bool()> is_ready);

// Serves GET /metrics in Prometheus' text format. Other requests get 404. Loop-bound. `metrics` must outlive the
// handler.
std::unique_ptr<net::HttpHandler> MakeMetricsHandler(const metrics::Registry& metrics);

}  // namespace inferd::cluster

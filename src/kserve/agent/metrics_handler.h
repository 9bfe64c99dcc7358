#pragma once

#include <memory>

#include "base/metrics/registry.h"
#include "net/http/http.h"

namespace inferd::agent {

// Serves GET /metrics in Prometheus' text format. Other requests get 404. Loop-bound. `registry` must outlive the
// handler.
std::unique_ptr<net::HttpHandler> MakeMetricsHandler(const metrics::Registry& registry);

}  // namespace inferd::agent

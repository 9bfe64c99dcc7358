#pragma once

#include <atomic>
#include <memory>

#include "net/http/http.h"

namespace inferd::clustergateway {

// Serves the kubelet's probes, and passes other requests to `inner`. GET /healthz and /livez get 200; GET /readyz gets
// 503 while `ready` is false. Loop-bound. `ready` must outlive the handler.
std::unique_ptr<net::HttpHandler> MakeHealthHandler(const std::atomic<bool>& ready,
                                                    std::unique_ptr<net::HttpHandler> inner);

}  // namespace inferd::clustergateway

#pragma once

#include <atomic>
#include <memory>

#include "net/http/http.h"

namespace inferd::clustergateway {

// What a kubelet asks, before another handler: GET /healthz and /livez, which are 200 as long as this program runs, and
// /readyz, which is 503 where `ready` is not set. Loop-bound; `ready` outlives it.
std::unique_ptr<net::HttpHandler> MakeHealthHandler(const std::atomic<bool>& ready,
                                                    std::unique_ptr<net::HttpHandler> inner);

}  // namespace inferd::clustergateway

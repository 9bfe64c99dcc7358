#pragma once

#include <functional>
#include <memory>

#include "net/http/exchange.h"
#include "net/http/http.h"
#include "net/payloadlog/payload_log.h"

namespace inferd::payloadlog {

// Decides which requests are logged. Thread-safe.
using PayloadFilter = std::function<bool(const net::RequestHead&)>;

// Returns a handler that gives the log the bodies of requests, including gRPC calls, and of successful responses.
// Otherwise it behaves like `inner`. Loop-bound, like `inner`. `replies` are the loop's. `log` must outlive it.
std::unique_ptr<net::HttpHandler> MakeLoggedHandler(PayloadLog& log, PayloadFilter wanted, net::Reply::Target& replies,
                                                    std::unique_ptr<net::HttpHandler> inner);

}  // namespace inferd::payloadlog

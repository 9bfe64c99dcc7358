#pragma once

#include <functional>
#include <memory>

#include "net/http/exchange.h"
#include "net/http/http.h"
#include "net/payloadlog/payload_log.h"

namespace inferd::payloadlog {

// Which requests are logged. Thread-safe.
using PayloadFilter = std::function<bool(const net::RequestHead&)>;

// Gives the log what passes: the bodies of requests, gRPC calls among them, and those of the successes that answer
// them. All else is as without it. Loop-bound, like `inner`; `replies` are the loop's, and `log` outlives it.
std::unique_ptr<net::HttpHandler> MakeLoggedHandler(PayloadLog& log, PayloadFilter wanted, net::Reply::Target& replies,
                                                    std::unique_ptr<net::HttpHandler> inner);

}  // namespace inferd::payloadlog

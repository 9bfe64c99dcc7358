#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/logging.h"
#include "net/http/http.h"
#include "protocols/rest/options.h"

namespace inferd::server {

// Adds CORS to `inner` (Fetch, "CORS protocol") for pages of these origins. Preflights, which carry no credentials, are
// answered here. Every response to a request of such an origin allows the page to read it, including refusals of the
// transport. Other requests are not affected. `origins` have the form that browsers send, or "*" for any. Loop-bound,
// like `inner`. `options` and `logger` must outlive the handler.
std::unique_ptr<net::HttpHandler> MakeCorsHandler(const std::vector<std::string>& origins, const rest::Options& options,
                                                  base::Logger& logger, std::unique_ptr<net::HttpHandler> inner);

}  // namespace inferd::server

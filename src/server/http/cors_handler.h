#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/logging.h"
#include "net/http/http.h"
#include "protocols/rest/options.h"

namespace inferd::server {

// Lets pages of these origins use what `inner` serves (Fetch, "CORS protocol"): preflights from there are answered
// here, which carry no credentials, and every answer to a request from there, refusals of the transport included, says
// that the page may read it. All other requests are as without it. `origins`: as browsers write them, or "*" for any.
// Loop-bound, like `inner`; `options` and `logger` outlive it.
std::unique_ptr<net::HttpHandler> MakeCorsHandler(const std::vector<std::string>& origins, const rest::Options& options,
                                                  base::Logger& logger, std::unique_ptr<net::HttpHandler> inner);

}  // namespace inferd::server

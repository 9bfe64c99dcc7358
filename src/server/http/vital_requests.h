#pragma once

#include <string>

#include "net/http/over_limit_handler.h"

namespace inferd::server {

// What is answered though there are too many connections: health checks and metrics of every protocol, which are asked
// for most when a server is at its limits. `metrics_path` as in tfs_http::Options.
net::VitalRequest VitalRequests(std::string metrics_path);

}  // namespace inferd::server

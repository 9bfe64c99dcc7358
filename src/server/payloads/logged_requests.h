#pragma once

#include <memory>

#include "base/logging.h"
#include "base/metrics/registry.h"
#include "base/status.h"
#include "config/options/payload_log_options.h"
#include "net/http/http.h"
#include "net/payloadlog/payload_log.h"

namespace inferd::server {

// Returns the factory of the sinks that the options request. Empty if they request none. INVALID_ARGUMENT if the URL is
// invalid.
base::Result<payloadlog::PayloadLog::SinkMaker> MakeSinks(const config::PayloadLogOptions& options);

// Creates the log. Null if there are no sinks. `registry` and `logger` must outlive it.
std::unique_ptr<payloadlog::PayloadLog> MakePayloadLog(const config::PayloadLogOptions& options,
                                                       const payloadlog::PayloadLog::SinkMaker& sinks,
                                                       metrics::Registry& registry, base::Logger& logger);

// Returns true if the request is an inference of any protocol with a complete body. False for gRPC streams.
bool IsInference(const net::RequestHead& head);

}  // namespace inferd::server

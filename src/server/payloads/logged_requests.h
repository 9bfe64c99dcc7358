#pragma once

#include <memory>

#include "base/logging.h"
#include "base/metrics/registry.h"
#include "base/status.h"
#include "config/options/payload_log_options.h"
#include "net/http/http.h"
#include "net/payloadlog/payload_log.h"

namespace inferd::server {

// What makes the sinks that the options ask for; empty: they ask for none. INVALID_ARGUMENT: the URL.
base::Result<payloadlog::PayloadLog::SinkMaker> MakeSinks(const config::PayloadLogOptions& options);

// The log with these sinks; null: there are none. `registry` and `logger` outlive it.
std::unique_ptr<payloadlog::PayloadLog> MakePayloadLog(const config::PayloadLogOptions& options,
                                                       const payloadlog::PayloadLog::SinkMaker& sinks,
                                                       metrics::Registry& registry, base::Logger& logger);

// Whether a request is an inference, of any protocol, whose body is whole: streams of gRPC are not.
bool IsInference(const net::RequestHead& head);

}  // namespace inferd::server

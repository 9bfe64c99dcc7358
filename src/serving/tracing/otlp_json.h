#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "serving/tracing/trace_record.h"

namespace inferd::tracing {

using Attributes = std::vector<std::pair<std::string, std::string>>;

// Traces as the body of an OTLP/HTTP request with JSON (opentelemetry-proto, ExportTraceServiceRequest). A client's
// request is a span InferRequest, in it one with the model's name, in that one called compute; what a request made
// hangs below its model's span. Activities are the spans' events. `wall_offset_ns`: from base::Clock::NowNs to the time
// since the Unix epoch.
std::string OtlpJson(std::span<const TraceRecord> records, const Attributes& resource, int64_t wall_offset_ns);

}  // namespace inferd::tracing

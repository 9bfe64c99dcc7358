#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "serving/tracing/trace_record.h"

namespace inferd::tracing {

using Attributes = std::vector<std::pair<std::string, std::string>>;

// Encodes traces as the body of an OTLP/HTTP request with JSON (opentelemetry-proto, ExportTraceServiceRequest). A
// client's request is a span InferRequest. It contains a span with the model's name, which contains one called compute.
// The spans of requests that a request made are below its model's span. Activities are the spans' events.
// `wall_offset_ns` is the difference from base::Clock::NowNs to the time since the Unix epoch.
std::string OtlpJson(std::span<const TraceRecord> records, const Attributes& resource, int64_t wall_offset_ns);

}  // namespace inferd::tracing

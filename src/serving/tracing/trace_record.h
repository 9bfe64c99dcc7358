#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "serving/core/request/request_trace.h"

namespace inferd::tracing {

// As they stand in a `traceparent` (W3C Trace Context).
using TraceId = std::array<uint8_t, 16>;
using SpanId = std::array<uint8_t, 8>;

struct TraceEvent {
  core::TraceActivity activity;
  int64_t at_ns;          // base::Clock::NowNs
  std::string name = {};  // of a custom activity
};

struct TraceTensor {
  core::TraceActivity activity;
  std::string name;
  std::string data;   // elements, separated by commas
  std::string shape;  // "2,3"
  std::string_view datatype;
};

// What was written down of one request.
struct TraceRecord {
  uint64_t id = 0;         // from 1 on, in the order in which they began
  uint64_t parent_id = 0;  // of the request that made it; 0: a client's
  std::string model;
  std::string version;
  std::string request_id;
  std::vector<TraceEvent> events = {};
  std::vector<TraceTensor> tensors = {};
  uint64_t log_frequency = 0;

  TraceId trace = {};
  SpanId parent_span = {};   // all zero: none
  SpanId request_span = {};  // of a client's request
  SpanId model_span = {};
  SpanId compute_span = {};
};

// "HTTP_RECV_START".
std::string_view ActivityName(core::TraceActivity activity);
inline std::string_view EventName(const TraceEvent& event) {
  return event.activity == core::TraceActivity::kCustom ? std::string_view(event.name) : ActivityName(event.activity);
}

}  // namespace inferd::tracing

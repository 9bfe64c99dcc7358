#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "serving/core/request/request_trace.h"

namespace inferd::tracing {

// Ids in the form of a `traceparent` (W3C Trace Context).
using TraceId = std::array<uint8_t, 16>;
using SpanId = std::array<uint8_t, 8>;

struct TraceEvent {
  core::TraceActivity activity;
  int64_t at_ns;          // base::Clock::NowNs
  std::string name = {};  // only of a custom activity
};

struct TraceTensor {
  core::TraceActivity activity;
  std::string name;
  std::string data;   // elements, separated by commas
  std::string shape;  // "2,3"
  std::string_view datatype;
};

// The trace of one request, as recorded.
struct TraceRecord {
  uint64_t id = 0;         // from 1 on, in the order of their start
  uint64_t parent_id = 0;  // of the request that caused it; 0 if a client did
  std::string model;
  std::string version;
  std::string request_id;
  std::vector<TraceEvent> events = {};
  std::vector<TraceTensor> tensors = {};
  uint64_t log_frequency = 0;

  TraceId trace = {};
  SpanId parent_span = {};   // all zero if there is none
  SpanId request_span = {};  // only of a client's request
  SpanId model_span = {};
  SpanId compute_span = {};
};

// Returns the activity's name in Triton's traces, such as "HTTP_RECV_START".
std::string_view ActivityName(core::TraceActivity activity);
inline std::string_view EventName(const TraceEvent& event) {
  return event.activity == core::TraceActivity::kCustom ? std::string_view(event.name) : ActivityName(event.activity);
}

}  // namespace inferd::tracing

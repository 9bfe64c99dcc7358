#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/byte_budget.h"
#include "base/name_pattern.h"
#include "net/http/status_table.h"
#include "serving/core/request/queue_full.h"
#include "serving/core/request/response_flow.h"

namespace inferd::rest {

// The options of every front-end with JSON over HTTP; each derives its own from it. Set before the server starts; then
// immutable and shared by every loop's handler.
struct Options {
  net::StatusTable statuses = net::kStatuses;
  std::optional<base::NamePattern> forwarded_headers;  // become parameters of inference requests; absent for none
  bool access_log = false;                             // one line per request, at info level
  core::QueueFull queue_full = {};
  int retry_after_s = 1;                        // with 429, unless the response has a better value
  uint64_t body_bytes_max = uint64_t{1} << 30;  // also after decompression: 413
  uint64_t json_bytes_max = 0;                  // of V2's inferences, and of raw requests; 0 for body_bytes_max: 400
  uint32_t json_depth_max = 64;                 // open arrays and objects
  uint32_t compression_ratio_max = 100;         // a compressed body's, above 64 KiB: 413
  int64_t inference_timeout_ns = 0;             // until an inference is answered, then 504; 0 for none
  bool failures_are_events = false;             // of streams: what fails once it was accepted is always an event
  core::ResponseFlow::Limits stream_flow = {};  // limits of one stream's responses that wait for the client
  base::ByteBudget* outputs = nullptr;          // charged for JSON responses; null for none; thread-safe
  size_t offload_bytes = 256 * 1024;  // JSON from this size on, and compressed requests, are processed on the pool
};

}  // namespace inferd::rest

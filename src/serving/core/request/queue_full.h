#pragma once

#include <string_view>

#include "base/status.h"
#include "serving/core/request/infer_response.h"

namespace inferd::core {

// How a server says that a queue is full, or that a request waited too long in it: another's clients look for its
// words.
struct QueueFull {
  base::StatusCode code = base::StatusCode::kResourceExhausted;
  std::string_view text = {};  // goes before the reason, unless it is empty
  // Of a request that has waited too long.
  base::StatusCode timed_out = base::StatusCode::kDeadlineExceeded;
};

// A failed response's status. A queue is full where that is RESOURCE_EXHAUSTED and a retry may succeed.
base::Status FailureOf(const InferResponse& response, const QueueFull& queue_full);

}  // namespace inferd::core

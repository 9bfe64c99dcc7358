#pragma once

#include <string_view>

#include "base/status.h"
#include "serving/core/request/infer_response.h"

namespace inferd::core {

// The errors for a full queue and for a request that waited too long in it. Configurable, since clients of other
// servers look for the words of those servers.
struct QueueFull {
  base::StatusCode code = base::StatusCode::kResourceExhausted;
  std::string_view text = {};  // put before the reason, unless it is empty
  // For a request that has waited too long.
  base::StatusCode timed_out = base::StatusCode::kDeadlineExceeded;
};

// Returns a failed response's status, translated. A queue was full if the status is RESOURCE_EXHAUSTED and a retry may
// succeed.
base::Status FailureOf(const InferResponse& response, const QueueFull& queue_full);

}  // namespace inferd::core

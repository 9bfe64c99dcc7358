#pragma once

#include "serving/core/request/infer_request.h"
#include "serving/core/request/infer_response.h"

namespace inferd::core {

// Returns true if the request names the memory for some of its outputs (RequestedOutput::memory).
bool NamesOutputMemory(const InferRequest& request);

// Returns a completion that moves such outputs into that memory, and then passes the response to `completion`. Bytes
// that an engine wrote there already stay; all others are copied. INVALID_ARGUMENT if an output does not fit the
// memory.
Completion IntoOutputMemory(const InferRequest& request, Completion completion);

}  // namespace inferd::core

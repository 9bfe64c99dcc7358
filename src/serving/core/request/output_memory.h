#pragma once

#include "serving/core/request/infer_request.h"
#include "serving/core/request/infer_response.h"

namespace inferd::core {

// Whether the request says where some of its outputs are to be (RequestedOutput::memory).
bool NamesOutputMemory(const InferRequest& request);

// A completion that sends what `completion` gets, with such outputs in that memory: bytes that an engine wrote there
// already stay, all others are copied. INVALID_ARGUMENT in place of a response that has more bytes than the memory.
Completion IntoOutputMemory(const InferRequest& request, Completion completion);

}  // namespace inferd::core

#pragma once

#include <cstddef>

#include "base/status.h"
#include "engines/python/message/marshal.h"
#include "engines/python/message/value_parts.h"
#include "inferd/engine_abi.h"

namespace inferd::python {

struct SentResponse {
  size_t request = 0;  // or INFERD_ALL_REQUESTS
  bool final = false;
};

// Hands a response that a worker has described to the host:
//
//   (request or -1 for all, final, code, message, outputs, parameters, it is to be executed again)
//   an output: (index, datatype, dimensions, offset, size), of `memory`, which all responses of a message share; a
//   parameter: (name, value)
//
// INTERNAL, and nothing is handed over: it is no such description, or what it describes is not there. What does not fit
// the model's signature, the host refuses.
base::Result<SentResponse> SendResponse(const inferd_host& host, const inferd_batch& batch, const Value& description,
                                        TensorMemory& memory);

}  // namespace inferd::python

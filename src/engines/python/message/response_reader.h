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

// Passes a response from a worker's message on to the host:
//
//   (request or -1 for all, final, code, message, outputs, parameters, true if it is to be executed again)
//   an output: (index, datatype, dimensions, offset, size), in `memory`, which all responses of a message share; a
//   parameter: (name, value)
//
// INTERNAL if the description is invalid or names missing memory; then nothing is passed on. The host refuses what does
// not fit the model's signature.
base::Result<SentResponse> SendResponse(const inferd_host& host, const inferd_batch& batch, const Value& description,
                                        TensorMemory& memory);

}  // namespace inferd::python

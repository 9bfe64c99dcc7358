#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "base/status.h"
#include "serving/core/model/model_signature.h"
#include "serving/core/request/infer_request.h"

namespace inferd::oip_http {

// Reads the body of Triton's generate extension, one JSON object, for a model of that signature:
//
//   {"id": "7", "text_input": "Hi", "parameters": {"stream": true, "temperature": 0.5}}
//
// A member with the name of an input is its data: one element, or a list. The elements fill the input's shape: fixed
// dimensions first, then the last dimension of any size takes the rest, and other dimensions of any size are 1. All
// other members are parameters of the request, with a string, a number or a boolean; `id` is its id. The members of
// "parameters" are treated as if they were members of the body.
//
// The request lacks the facts of the path and the head (model, times, cancel flag). INVALID_ARGUMENT if the body is not
// such an object, or an input is repeated or does not fill its shape. Pure; runs on any thread.
base::Result<std::unique_ptr<core::InferRequest>> ReadGenerateRequest(std::string_view body,
                                                                      const core::ModelSignature& signature,
                                                                      size_t depth_max);

}  // namespace inferd::oip_http

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
// A member that is called like an input is its data: one element, or a list of them. They fill the input's shape: its
// numbers first, its last dimension of any size takes the rest, and the others of any size are 1. All other members are
// parameters of the request, and have a string, a number or a boolean; `id` is its id. The members of "parameters" are
// taken likewise, as if they stood beside it.
//
// The request lacks what the path and the head say (model, times, cancel flag). INVALID_ARGUMENT: the body is no such
// object, an input is given twice, or does not fill its shape. Pure; runs on any thread.
base::Result<std::unique_ptr<core::InferRequest>> ReadGenerateRequest(std::string_view body,
                                                                      const core::ModelSignature& signature,
                                                                      size_t depth_max);

}  // namespace inferd::oip_http

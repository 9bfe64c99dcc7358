#pragma once

#include <memory>
#include <string_view>

#include "base/buffer.h"
#include "base/status.h"
#include "protocols/v2/output_forms.h"
#include "serving/core/request/infer_request.h"

namespace inferd::oip_http {

// An infer request's decoded body. `request` lacks the facts of the path and the head (model, times, cancel flag).
struct DecodedRequest {
  std::unique_ptr<core::InferRequest> request;
  v2::OutputForms forms;
};

// Reads Predict V2's "Inference Request JSON Object" with Triton's binary tensor extension. The first `json_bytes` of
// `body` are the JSON; the rest are the binary inputs in the order of the JSON, which become views into `body`, not
// copies. `binary_allowed` is true if the request had an Inference-Header-Content-Length. NaN, Infinity and -Infinity
// are read as numbers, as Triton's clients write them.
//
// Members may come in any order; unknown ones are skipped, as strictly as the others are read. Errors are
// INVALID_ARGUMENT and name the tensor, expected and got. Tensors in regions of the client's shared memory keep the
// parameters that say so, and have no data yet (v2::RegionTensors). Pure; runs on any thread. `triton_exact`: outputs
// that are listed are JSON where they do not say that they are binary, whatever binary_data_output says; and data of
// another size than its shape is refused with Triton's text alone.
base::Result<DecodedRequest> ReadInferRequest(const base::BufferSlice& body, size_t json_bytes, bool binary_allowed,
                                              std::string_view model, size_t depth_max = 64, bool triton_exact = false);

}  // namespace inferd::oip_http

#pragma once

#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <string_view>

#include "base/status.h"
#include "serving/core/model/model_signature.h"
#include "serving/core/request/infer_request.h"

namespace inferd::core {

// The result of validation: the request's tensors as indices into the signature.
struct RequestLayout {
  boost::container::small_vector<int, 4> inputs;   // of request.inputs[i]
  boost::container::small_vector<int, 4> outputs;  // in the order of the response: the request's, or the model's
  int64_t rows = 1;                                // of the batch dimension; 1 if there is none
};

// Validates a request against the model, for all protocols. OK if every input is present once, with the right type, a
// valid shape and exactly the bytes for that shape (BYTES elements included); the batch is not too big; and every
// requested output exists and is requested once. Otherwise INVALID_ARGUMENT, which names the tensor, the expected and
// the actual value. Texts as Triton's, with "[request id: R] " in front if there is an id.
base::Status ValidateRequest(const InferRequest& request, std::string_view model, const ModelSignature& signature,
                             RequestLayout* layout);

}  // namespace inferd::core

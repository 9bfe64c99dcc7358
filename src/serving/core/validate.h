#pragma once

#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <string_view>

#include "base/status.h"
#include "serving/core/model/model_signature.h"
#include "serving/core/request/infer_request.h"

namespace inferd::core {

// What validation found out about a request: its tensors by their index in the signature.
struct RequestLayout {
  boost::container::small_vector<int, 4> inputs;   // of request.inputs[i]
  boost::container::small_vector<int, 4> outputs;  // in the order of the answer: as asked for, or the model's
  int64_t rows = 1;                                // of the batch dimension; 1 where there is none
};

// Holds a request against the model, once for all protocols. OK: every input is there once, with the type, a shape and
// exactly the bytes that the signature and the shape ask for (BYTES elements included), the batch is not too big, and
// every requested output exists and is asked for once. INVALID_ARGUMENT otherwise, naming the tensor, what was expected
// and what came; texts as Triton's, with "[request id: R] " in front where there is an id.
base::Status ValidateRequest(const InferRequest& request, std::string_view model, const ModelSignature& signature,
                             RequestLayout* layout);

}  // namespace inferd::core

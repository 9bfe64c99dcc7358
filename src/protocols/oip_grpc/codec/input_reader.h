#pragma once

#include <cstddef>

#include "base/status.h"
#include "data/wire/reader.h"
#include "serving/core/request/infer_request.h"

namespace inferd::oip_grpc {

// Reads one ModelInferRequest.InferInputTensor into the new `tensor`, and decodes its typed contents. `index`
// identifies an input without a name in errors. Returns true if it has `contents`.
base::Result<bool> ReadInput(wire::Reader in, size_t index, core::InferTensor& tensor);

}  // namespace inferd::oip_grpc

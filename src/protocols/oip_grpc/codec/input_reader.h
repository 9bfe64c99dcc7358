#pragma once

#include <cstddef>

#include "base/status.h"
#include "data/wire/reader.h"
#include "serving/core/request/infer_request.h"

namespace inferd::oip_grpc {

// Reads one ModelInferRequest.InferInputTensor into `tensor`, which is new, its typed contents decoded. `index` names
// an input without a name in errors. True: it has `contents`.
base::Result<bool> ReadInput(wire::Reader in, size_t index, core::InferTensor& tensor);

}  // namespace inferd::oip_grpc

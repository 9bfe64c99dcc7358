#pragma once

#include <cstdint>

#include "data/wire/writer.h"
#include "serving/core/request/infer_request.h"

namespace inferd::oip_grpc {

// Writes a tensor as the InferTensorContents in field `number` of the message that `out` is writing. The tensor must
// fit its shape, and its type must have typed contents (ContentsField()). Floats are not copied: in packed form they
// are the tensor's bytes.
void WriteTypedContents(wire::Writer& out, uint32_t number, const core::InferTensor& tensor);

}  // namespace inferd::oip_grpc

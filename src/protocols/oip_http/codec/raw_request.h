#pragma once

#include "base/buffer.h"
#include "base/status.h"
#include "protocols/oip_http/codec/infer_request_reader.h"
#include "serving/core/model/model_signature.h"

namespace inferd::oip_http {

// Reads the raw binary request of Triton's binary tensor extension (Inference-Header-Content-Length: 0). `body` is the
// only input of the model. Its shape must have at most one dimension of variable size besides the batch, which is 1. A
// BYTES input must be one element, whose content is the body. All outputs are binary. INVALID_ARGUMENT otherwise.
// `triton_exact`: BYTES must have the shape [1] in the configuration. The tensor is a view into `body`; only BYTES is
// copied, to follow its length.
base::Result<DecodedRequest> ReadRawRequest(const base::BufferSlice& body, const core::ModelSignature& signature,
                                            std::string_view model, bool triton_exact = false);

}  // namespace inferd::oip_http

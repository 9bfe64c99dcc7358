#pragma once

#include <cstddef>

#include "base/status.h"
#include "net/compression/content_coding.h"
#include "net/http/http.h"
#include "protocols/oip_http/codec/options.h"
#include "protocols/v2/output_forms.h"
#include "serving/core/model/model_signature.h"
#include "serving/core/request/infer_response.h"

namespace inferd::oip_http {

// Writes Predict V2's "Inference Response JSON Object" directly from the tensors. Binary outputs follow it without a
// copy (Triton's binary tensor extension). Outputs in regions of the client's shared memory have no data.
// Classification happens first. INVALID_ARGUMENT, naming the output, for BYTES that are not UTF-8 unless requested in
// base64 or binary, and for NaN under NonFinite::kError. Pure; runs on any thread.
base::Result<net::HttpResponse> WriteInferResponse(core::InferResponse&& response, const v2::OutputForms& requested,
                                                   const core::ModelSignature& signature, const Options& options);

// The approximate size of a response, to decide whether it is written on the pool.
struct ResponseSize {
  size_t json_bytes = 0;
  size_t binary_bytes = 0;
};
ResponseSize EstimateSize(const core::InferResponse& response, const v2::OutputForms& forms);

// Compresses the body in place if it is worth it (Options::compress_bytes_min).
base::Status CompressBody(net::HttpResponse& response, net::ContentCoding coding, const Options& options);

}  // namespace inferd::oip_http

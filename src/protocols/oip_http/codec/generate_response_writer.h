#pragma once

#include "base/status.h"
#include "net/http/http.h"
#include "protocols/oip_http/codec/options.h"
#include "serving/core/request/infer_response.h"

namespace inferd::oip_http {

// Writes a response of Triton's generate extension, one JSON object without nesting: `id`, `model_name`,
// `model_version`, the response's parameters and its outputs by name. An output of one element is written without
// brackets, others as a flat list. If names collide, outputs take precedence over the three fixed members, and these
// over parameters.
//
// INVALID_ARGUMENT, naming the output, for BYTES that are not UTF-8, and for NaN under NonFinite::kError. Pure; runs on
// any thread.
base::Result<net::HttpResponse> WriteGenerateResponse(const core::InferResponse& response, const Options& options);

}  // namespace inferd::oip_http

#pragma once

#include "base/status.h"
#include "net/http/http.h"
#include "protocols/oip_http/codec/options.h"
#include "serving/core/request/infer_response.h"

namespace inferd::oip_http {

// Writes a response of Triton's generate extension, one JSON object without nesting: `id`, `model_name`,
// `model_version`, the response's parameters and its outputs by name, an output of one element without brackets, others
// as a flat list. Where two have one name, the output counts, and the parameter last.
//
// INVALID_ARGUMENT naming the output: BYTES that are not UTF-8; a NaN under NonFinite::kError. Pure; runs on any
// thread.
base::Result<net::HttpResponse> WriteGenerateResponse(const core::InferResponse& response, const Options& options);

}  // namespace inferd::oip_http

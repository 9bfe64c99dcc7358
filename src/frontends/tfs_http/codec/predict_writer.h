#pragma once

#include <cstddef>

#include "base/status.h"
#include "core/request/infer_response.h"
#include "net/http/http.h"

namespace inferd::tfs_http {

// Writes {"predictions": [..]} (row format: one element per row) or {"outputs": ..} (columnar), straight from the
// tensors. One output stands by itself, several are objects by name. The elements of BYTES outputs whose name ends in
// "_bytes" are {"b64": ".."}.
//
// INVALID_ARGUMENT in TensorFlow Serving's words: outputs that share no first dimension have no rows; and, naming the
// output, for strings that are not UTF-8. Pure; any thread.
base::Result<net::HttpResponse> WritePredictions(const core::InferResponse& response, bool row);

// About how many bytes of text that will be.
size_t EstimateText(const core::InferResponse& response);

}  // namespace inferd::tfs_http

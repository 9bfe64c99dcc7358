#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "base/status.h"
#include "data/json/writer.h"
#include "net/http/http.h"
#include "serving/core/request/infer_response.h"

namespace inferd::v1 {

// The layout of outputs in a response: one element per row; output by output; or rows if all have the same first
// dimension, else output by output. A single output is written by itself, several as objects by name.
enum class Layout { kRows, kColumns, kRowsIfAny };

// Writes the member `key` directly from the tensors. Elements of BYTES outputs whose name ends in "_bytes" are {"b64":
// ".."}. INVALID_ARGUMENT, in TensorFlow Serving's words, if there are no outputs or no rows, or, naming the output, if
// strings are not UTF-8. Pure; any thread.
base::Status WriteOutputs(json::Writer& json, std::string_view key, std::span<const core::InferTensor> outputs,
                          Layout layout);

// Writes {"predictions": [..]} in rows, or {"outputs": ..} output by output, with WriteOutputs().
base::Result<net::HttpResponse> WritePredictions(const core::InferResponse& response, bool row);

// Estimates the bytes of that text.
size_t EstimateText(const core::InferResponse& response);

// Returns 200 with a JSON body.
net::HttpResponse JsonAnswer(json::Writer&& json);

}  // namespace inferd::v1

#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "base/status.h"
#include "data/json/writer.h"
#include "net/http/http.h"
#include "serving/core/request/infer_response.h"

namespace inferd::v1 {

// How outputs stand in an answer: one element per row; output by output; or in rows if they have a first dimension in
// common, and else output by output. One output stands by itself, several are objects by name.
enum class Layout { kRows, kColumns, kRowsIfAny };

// Writes the member `key`, straight from the tensors. The elements of BYTES outputs whose name ends in "_bytes" are
// {"b64": ".."}. INVALID_ARGUMENT in TensorFlow Serving's words: no outputs; no rows; and, naming the output, strings
// that are not UTF-8. Pure; any thread.
base::Status WriteOutputs(json::Writer& json, std::string_view key, std::span<const core::InferTensor> outputs,
                          Layout layout);

// {"predictions": [..]} in rows, or {"outputs": ..} output by output, as WriteOutputs writes them.
base::Result<net::HttpResponse> WritePredictions(const core::InferResponse& response, bool row);

// About how many bytes of text that will be.
size_t EstimateText(const core::InferResponse& response);

// 200 with a JSON body.
net::HttpResponse JsonAnswer(json::Writer&& json);

}  // namespace inferd::v1

#pragma once

#include <cstddef>
#include <cstdint>

#include "base/status.h"
#include "net/http/http.h"
#include "protocols/mlflow_http/codec/options.h"
#include "serving/core/request/infer_response.h"

namespace inferd::mlflow_http {

// {"predictions": ...}: the values of the one output; several as an object, {"name": values}; and a table's columns,
// where the model says that it gave one (the response's parameter content_type is "pd"), as a list of records. What is
// not UTF-8 is base64. INTERNAL: an output does not fit its shape, or a table's columns are of different lengths. Pure.
base::Result<net::HttpResponse> WriteAnswer(const core::InferResponse& response);

// About how many bytes of text that will be.
size_t EstimateText(const core::InferResponse& response);

// {"error_code": "BAD_REQUEST", "message": ...}, with the status that MLflow's scoring server has for it. What a model
// fails with is BAD_REQUEST too, as there, with its text as "stack_trace".
net::HttpResponse ErrorAnswer(const Options& options, const base::Status& status, int64_t retry_after_ms = 0);
// The same under another status.
net::HttpResponse ErrorAnswer(int http_status, std::string_view error_code, std::string_view message);

}  // namespace inferd::mlflow_http

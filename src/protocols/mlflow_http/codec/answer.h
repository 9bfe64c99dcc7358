#pragma once

#include <cstddef>
#include <cstdint>

#include "base/status.h"
#include "net/http/http.h"
#include "protocols/mlflow_http/codec/options.h"
#include "serving/core/request/infer_response.h"

namespace inferd::mlflow_http {

// Writes {"predictions": ...}: the values of the only output; or several outputs as an object, {"name": values}; or a
// table's columns as a list of records, if the model says that it gave one (the response's parameter content_type is
// "pd"). Text that is not UTF-8 becomes base64. INTERNAL if an output does not fit its shape, or a table's columns
// differ in length. Pure.
base::Result<net::HttpResponse> WriteAnswer(const core::InferResponse& response);

// Estimates the bytes of that text.
size_t EstimateText(const core::InferResponse& response);

// Returns {"error_code": "BAD_REQUEST", "message": ...}, with the status of MLflow's scoring server. A model's failure
// is BAD_REQUEST too, as there, with its text as "stack_trace".
net::HttpResponse ErrorAnswer(const Options& options, const base::Status& status, int64_t retry_after_ms = 0);
// Does the same with a given status.
net::HttpResponse ErrorAnswer(int http_status, std::string_view error_code, std::string_view message);

}  // namespace inferd::mlflow_http

#pragma once

#include <memory>
#include <string_view>

#include "base/status.h"
#include "serving/core/model/model_signature.h"
#include "serving/core/request/infer_request.h"

namespace inferd::mlflow_http {

// The maximum number of columns of a CSV file.
inline constexpr size_t kCsvColumnsMax = 65536;

// Reads a CSV body (RFC 4180; lines may end with LF, and empty ones are skipped), whose first line has the columns'
// names, into the inputs of a model (ColumnInputs). Values are read like pandas does: its missing values become NaN.
//
// Errors are those of faults.h, and RESOURCE_EXHAUSTED. The body bounds the memory. Pure; any thread.
base::Result<std::unique_ptr<core::InferRequest>> ReadCsvBody(std::string_view body,
                                                              const core::ModelSignature& signature);

}  // namespace inferd::mlflow_http

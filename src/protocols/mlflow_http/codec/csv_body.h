#pragma once

#include <memory>
#include <string_view>

#include "base/status.h"
#include "serving/core/model/model_signature.h"
#include "serving/core/request/infer_request.h"

namespace inferd::mlflow_http {

// The most columns that a file of CSV may have.
inline constexpr size_t kCsvColumnsMax = 65536;

// Reads a body of CSV (RFC 4180; lines end with LF too, empty ones are passed over) whose first line has the names of
// its columns, into the inputs of a model (ColumnInputs). Values are as pandas reads them: what it takes as missing is
// NaN.
//
// Errors are Faults' (faults.h), and RESOURCE_EXHAUSTED. Memory is bounded by the body. Pure; any thread.
base::Result<std::unique_ptr<core::InferRequest>> ReadCsvBody(std::string_view body,
                                                              const core::ModelSignature& signature);

}  // namespace inferd::mlflow_http

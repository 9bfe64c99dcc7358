#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "base/status.h"
#include "serving/core/model/model_signature.h"
#include "serving/core/request/infer_request.h"

namespace inferd::mlflow_http {

// Reads a JSON body, an object with exactly one of "dataframe_split", "dataframe_records", "instances" and "inputs",
// into the inputs of a model (ColumnInputs), and "params" into parameters. Texts, numbers and booleans are kept; other
// values become their JSON text. Other members are skipped, but must be valid JSON.
//
// Errors are those of faults.h, and RESOURCE_EXHAUSTED. The body bounds the memory. Pure; any thread.
base::Result<std::unique_ptr<core::InferRequest>> ReadJsonBody(std::string_view body,
                                                               const core::ModelSignature& signature,
                                                               uint32_t depth_max);

}  // namespace inferd::mlflow_http

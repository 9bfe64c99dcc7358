#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "base/status.h"
#include "serving/core/model/model_signature.h"
#include "serving/core/request/infer_request.h"

namespace inferd::mlflow_http {

// Reads a body of JSON, an object with exactly one of "dataframe_split", "dataframe_records", "instances" and "inputs",
// into the inputs of a model (ColumnInputs), and "params" into parameters: texts, numbers and truths as they are, all
// else as the JSON that it is. Other members are passed over, in the rules of JSON.
//
// Errors are Faults' (faults.h), and RESOURCE_EXHAUSTED. Memory is bounded by the body. Pure; any thread.
base::Result<std::unique_ptr<core::InferRequest>> ReadJsonBody(std::string_view body,
                                                               const core::ModelSignature& signature,
                                                               uint32_t depth_max);

}  // namespace inferd::mlflow_http

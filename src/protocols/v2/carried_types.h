#pragma once

#include <string_view>

#include "base/status.h"
#include "serving/core/model/catalog.h"
#include "serving/core/request/infer_response.h"

// Checks for models with tensors of types that Predict V2 does not have (tensor::IsPredictV2()): its clients get an
// error.

namespace inferd::v2 {

// UNIMPLEMENTED, naming the tensor and its type, if it cannot be carried.
base::Status CheckCarried(std::string_view tensor, tensor::DataType type);
// Checks the outputs; the error is that of the first one that cannot be carried.
base::Status CheckCarried(const core::InferResponse& response);

// Returns the catalog's metadata. UNIMPLEMENTED also if a tensor of the model cannot be carried.
base::Result<core::ModelMetadata> CarriedMetadata(const core::Catalog& catalog, std::string_view model,
                                                  std::string_view version);

}  // namespace inferd::v2

#pragma once

#include <string_view>

#include "base/status.h"
#include "serving/core/model/catalog.h"
#include "serving/core/request/infer_response.h"

// Some models have tensors of types that Predict V2 does not have (tensor::IsPredictV2): its clients are told so.

namespace inferd::v2 {

// UNIMPLEMENTED names the tensor and its type.
base::Status CheckCarried(std::string_view tensor, tensor::DataType type);
// The first output that cannot be carried; OK if there is none.
base::Status CheckCarried(const core::InferResponse& response);

// The catalog's; UNIMPLEMENTED also if a tensor of the model cannot be carried.
base::Result<core::ModelMetadata> CarriedMetadata(const core::Catalog& catalog, std::string_view model,
                                                  std::string_view version);

}  // namespace inferd::v2

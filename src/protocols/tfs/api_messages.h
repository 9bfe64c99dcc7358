#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/status.h"
#include "serving/core/model/model_signature.h"
#include "serving/core/request/infer_response.h"

// Serialized messages of TensorFlow Serving's gRPC API, for logging calls of other protocols as if they had come as
// these. Pure.

namespace inferd::tfs {

// Returns a ModelSpec. `version` is decimal, or empty. An empty `signature` means kServingDefault.
std::string ModelSpecMessage(std::string_view model, std::string_view version, std::string_view signature);

// Return a PredictRequest and a PredictResponse, of tensors in core's form.
std::string PredictRequestMessage(std::string_view spec, std::span<const core::InferTensor> inputs);
std::string PredictResponseMessage(std::string_view spec, std::span<const core::InferTensor> outputs);

// Returns a ClassificationRequest, which on the wire equals a RegressionRequest. `examples` are BYTES, each a
// tensorflow.Example.
std::string ExamplesRequestMessage(std::string_view spec, const core::InferTensor& examples);

// Errors are those of FindClasses() and FindValues().
base::Result<std::string> ClassificationResponseMessage(std::string_view spec, const core::InferResponse& response,
                                                        const core::ModelSignature& signature);
base::Result<std::string> RegressionResponseMessage(std::string_view spec, const core::InferResponse& response,
                                                    const core::ModelSignature& signature);

}  // namespace inferd::tfs

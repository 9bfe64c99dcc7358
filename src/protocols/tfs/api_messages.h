#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/status.h"
#include "serving/core/model/model_signature.h"
#include "serving/core/request/infer_response.h"

// Messages of TensorFlow Serving's gRPC API, serialized, for calls that came otherwise and are logged as if they had
// come as these. Pure.

namespace inferd::tfs {

// A ModelSpec; `version`: decimal, or empty; `signature` empty: kServingDefault.
std::string ModelSpecMessage(std::string_view model, std::string_view version, std::string_view signature);

// A PredictRequest and a PredictResponse, of tensors as core carries them.
std::string PredictRequestMessage(std::string_view spec, std::span<const core::InferTensor> inputs);
std::string PredictResponseMessage(std::string_view spec, std::span<const core::InferTensor> outputs);

// A ClassificationRequest and, the same on the wire, a RegressionRequest. `examples`: BYTES, each a tensorflow.Example.
std::string ExamplesRequestMessage(std::string_view spec, const core::InferTensor& examples);

// Errors are FindClasses's and FindValues's.
base::Result<std::string> ClassificationResponseMessage(std::string_view spec, const core::InferResponse& response,
                                                        const core::ModelSignature& signature);
base::Result<std::string> RegressionResponseMessage(std::string_view spec, const core::InferResponse& response,
                                                    const core::ModelSignature& signature);

}  // namespace inferd::tfs

#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/status.h"
#include "ctl/input_value.h"

namespace inferd::bench {

// A ModelInferRequest as bytes, with raw contents.
std::string InferMessage(const std::string& model, const std::vector<ctl::NamedTensor>& inputs);

// A tensorflow.serving.PredictRequest as bytes, with tensor_content. INVALID_ARGUMENT: an input is of BYTES.
base::Result<std::string> PredictMessage(const std::string& model, const std::vector<ctl::NamedTensor>& inputs);

// The body of a TensorFlow Serving :predict, {"inputs": {NAME: [..], ..}}.
base::Result<std::string> PredictBody(const std::vector<ctl::NamedTensor>& inputs);

// The size of the ModelStreamInferResponse that holds a ModelInferResponse of `bytes`.
size_t StreamMessageBytes(size_t bytes);

}  // namespace inferd::bench

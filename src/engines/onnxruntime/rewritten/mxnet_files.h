#pragma once

#include <filesystem>
#include <string>

#include "base/status.h"
#include "inferd/engine_abi.h"

namespace inferd::onnxruntime {

// Whether the model is MXNet's: model-symbol.json, with model-0000.params beside it.
bool IsMxnet(const inferd_load& load, const std::filesystem::path& file);

// The ONNX model that the two files are, with the inputs as they are configured. Of several files of parameters,
// model-0000.params and model-0012.params, it is that of the last epoch, or of the one that the model's parameter
// `epoch` says. NOT_FOUND, INVALID_ARGUMENT: a file is missing, or has what is not supported.
base::Result<std::string> ReadMxnet(const inferd_load& load, const std::filesystem::path& file);

}  // namespace inferd::onnxruntime

#pragma once

#include <filesystem>
#include <string>

#include "base/status.h"
#include "inferd/engine_abi.h"

namespace inferd::onnxruntime {

// Whether the model is Caffe2's: model.netdef, with init_model.netdef beside it.
bool IsCaffe2(const inferd_load& load, const std::filesystem::path& file);

// The ONNX model that the two files are, with the inputs as they are configured. NOT_FOUND, INVALID_ARGUMENT: a file is
// missing, or has what is not supported.
base::Result<std::string> ReadCaffe2(const inferd_load& load, const std::filesystem::path& file);

}  // namespace inferd::onnxruntime

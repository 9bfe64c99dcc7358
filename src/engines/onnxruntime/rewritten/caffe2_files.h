#pragma once

#include <filesystem>
#include <string>

#include "base/status.h"
#include "inferd/engine_abi.h"

namespace inferd::onnxruntime {

// Returns true if the model is Caffe2's: model.netdef with init_model.netdef beside it.
bool IsCaffe2(const inferd_load& load, const std::filesystem::path& file);

// Returns the two files as an ONNX model, with the configured inputs. NOT_FOUND or INVALID_ARGUMENT if a file is
// missing, or has unsupported content.
base::Result<std::string> ReadCaffe2(const inferd_load& load, const std::filesystem::path& file);

}  // namespace inferd::onnxruntime

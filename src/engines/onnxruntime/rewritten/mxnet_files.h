#pragma once

#include <filesystem>
#include <string>

#include "base/status.h"
#include "inferd/engine_abi.h"

namespace inferd::onnxruntime {

// Returns true if the model is MXNet's: model-symbol.json with model-0000.params beside it.
bool IsMxnet(const inferd_load& load, const std::filesystem::path& file);

// Returns the two files as an ONNX model, with the configured inputs. If there are several parameter files,
// model-0000.params and model-0012.params, it uses that of the last epoch, or of the epoch in the model's parameter
// `epoch`. NOT_FOUND or INVALID_ARGUMENT if a file is missing, or has unsupported content.
base::Result<std::string> ReadMxnet(const inferd_load& load, const std::filesystem::path& file);

}  // namespace inferd::onnxruntime

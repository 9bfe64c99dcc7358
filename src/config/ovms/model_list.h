#pragma once

#include <filesystem>
#include <string_view>

#include "base/status.h"
#include "config/tfs/model_server_config.h"

namespace inferd::config {

// Returns true if a list of models is OpenVINO Model Server's, which is JSON, and not TensorFlow Serving's.
bool IsOvmsModelList(std::string_view text);

// Parses OpenVINO Model Server's config.json: models of the openvino engine, by name. A relative base path is resolved
// against the file's folder. INVALID_ARGUMENT, with the byte or the model and field, if it is not such a file.
// UNIMPLEMENTED if a field requests an unsupported feature.
base::Result<ModelServerConfig> ParseOvmsModelList(std::string_view text, const std::filesystem::path& file);

}  // namespace inferd::config

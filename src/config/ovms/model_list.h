#pragma once

#include <filesystem>
#include <string_view>

#include "base/status.h"
#include "config/tfs/model_server_config.h"

namespace inferd::config {

// Whether a file of models is OpenVINO Model Server's, which is JSON, and not TensorFlow Serving's.
bool IsOvmsModelList(std::string_view text);

// OpenVINO Model Server's config.json: models of the openvino engine, by name. INVALID_ARGUMENT: it is no such file,
// with the byte or the model and the field; UNIMPLEMENTED: a field asks for what is not served. A base path that is
// relative begins at the file's folder.
base::Result<ModelServerConfig> ParseOvmsModelList(std::string_view text, const std::filesystem::path& file);

}  // namespace inferd::config

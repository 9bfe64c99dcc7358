#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "config/options/served_model.h"

namespace inferd::config {

// The longest text or message of a ModelServerConfig.
inline constexpr size_t kModelServerConfigBytesMax = 16 << 20;

// TensorFlow Serving's ModelServerConfig, checked.
struct ModelServerConfig {
  std::optional<std::vector<ServedModel>> models;  // absent: it has no list, which is not the same as an empty one
  std::vector<std::string> warnings;               // of what is asked for and has no effect
};

// Of a file in protobuf's text format. INVALID_ARGUMENT: up to ten problems with file, line and field, in TensorFlow
// Serving's words where it has some; UNIMPLEMENTED: custom_model_config.
base::Result<ModelServerConfig> ParseModelServerConfig(std::string_view text, std::string_view file_name);

// The same of a serialized message, as a reload call brings it. Also INVALID_ARGUMENT, in TensorFlow Serving's words:
// it has no list.
base::Result<ModelServerConfig> DecodeModelServerConfig(std::string_view message);

}  // namespace inferd::config

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "config/options/served_model.h"

namespace inferd::config {

// The maximum size of a ModelServerConfig's text or message.
inline constexpr size_t kModelServerConfigBytesMax = 16 << 20;

// TensorFlow Serving's ModelServerConfig, checked.
struct ModelServerConfig {
  std::optional<std::vector<ServedModel>> models;  // absent if there is no list, which differs from an empty list
  std::vector<std::string> warnings;               // on requested settings that have no effect
};

// Parses a file in protobuf's text format. INVALID_ARGUMENT with up to ten problems with file, line and field, in
// TensorFlow Serving's words if it has some. UNIMPLEMENTED for custom_model_config.
base::Result<ModelServerConfig> ParseModelServerConfig(std::string_view text, std::string_view file_name);

// Does the same for a serialized message from a reload call. Also INVALID_ARGUMENT, in TensorFlow Serving's words, if
// it has no list.
base::Result<ModelServerConfig> DecodeModelServerConfig(std::string_view message);

}  // namespace inferd::config

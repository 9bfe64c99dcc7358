#pragma once

#include <cstddef>
#include <string_view>

#include "base/status.h"
#include "config/model/model_config.h"

namespace inferd::config {

// The maximum size of a configuration.
inline constexpr size_t kModelConfigBytesMax = 4 << 20;

// Parses a config.pbtxt (protobuf text format). An empty text is an empty configuration: everything is completed from
// the model. INVALID_ARGUMENT with one "<file_name>:<line>:<column>: ..." line per error, at most ten. ResolveModel()
// checks the values.
base::Result<ModelConfig> ParseModelConfig(std::string_view text, std::string_view file_name);

// Parses the configuration of a load call: the same message as proto3 JSON, with enumeration names in any case. Refuses
// unknown fields by name.
base::Result<ModelConfig> ModelConfigFromJson(std::string_view text);

}  // namespace inferd::config

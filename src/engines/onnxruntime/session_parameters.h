#pragma once

#include <string_view>
#include <vector>

#include "base/status.h"
#include "engines/onnxruntime/session_settings.h"

namespace inferd::onnxruntime {

// Returns the configuration parameters with a meaning here, as docs/onnx-models.md lists them. A name that ends in "*"
// stands for all with that prefix.
std::vector<std::string_view> SessionParameterNames();

// Applies one parameter; ignores those without a meaning here. INVALID_ARGUMENT if the value is invalid.
base::Status ApplyParameter(std::string_view key, std::string_view value, SessionSettings* settings);

}  // namespace inferd::onnxruntime

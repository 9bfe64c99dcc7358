#pragma once

#include <string_view>

#include "base/status.h"
#include "inferd/engine_abi.h"

// The `parameters` of a model's configuration, which are text.

namespace inferd::enginekit {

inline std::string_view ToView(inferd_text text) { return {text.data, text.size}; }

// INVALID_ARGUMENT, naming the parameter and its value: no decimal number from `min` to `max`.
base::Status ReadNumber(std::string_view key, std::string_view text, int min, int max, int* number);

// "true", "false", "1" or "0".
base::Status ReadFlag(std::string_view key, std::string_view text, bool* flag);

}  // namespace inferd::enginekit

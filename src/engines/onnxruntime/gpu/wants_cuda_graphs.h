#pragma once

#include <string_view>

#include "base/status.h"

namespace inferd::onnxruntime {

// Returns true if a model's configuration, the JSON text of inferd_load, has optimization { cuda { graphs: true } }.
// Returns false for an empty text. INVALID_ARGUMENT if the text is not such JSON.
base::Result<bool> WantsCudaGraphs(std::string_view config_json);

}  // namespace inferd::onnxruntime

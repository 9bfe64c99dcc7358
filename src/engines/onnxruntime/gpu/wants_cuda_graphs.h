#pragma once

#include <string_view>

#include "base/status.h"

namespace inferd::onnxruntime {

// Whether a model's configuration, as inferd_load has it in JSON, says optimization { cuda { graphs: true } }; empty: it
// does not. INVALID_ARGUMENT: it is no such JSON.
base::Result<bool> WantsCudaGraphs(std::string_view config_json);

}  // namespace inferd::onnxruntime

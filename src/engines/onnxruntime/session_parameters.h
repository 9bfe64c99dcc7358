#pragma once

#include <string_view>
#include <vector>

#include "base/status.h"
#include "engines/onnxruntime/session_settings.h"

namespace inferd::onnxruntime {

// The parameters of a model's configuration that mean something here, as docs/onnx-models.md lists them. One that ends
// in "*" stands for all that begin so.
std::vector<std::string_view> SessionParameterNames();

// Takes over one parameter; others mean nothing here, and are left alone. INVALID_ARGUMENT: the value is not what it
// can be.
base::Status ApplyParameter(std::string_view key, std::string_view value, SessionSettings* settings);

}  // namespace inferd::onnxruntime

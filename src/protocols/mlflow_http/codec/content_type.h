#pragma once

#include <string>
#include <string_view>

#include "base/status.h"

namespace inferd::mlflow_http {

enum class BodyForm { kJson, kCsv };

// Parses a Content-Type header. INVALID_ARGUMENT, in the words of MLflow's scoring server, for an unsupported type, a
// charset other than UTF-8, or unsupported parameters: the answer is 415.
base::Result<BodyForm> FormOfBody(std::string_view content_type);

}  // namespace inferd::mlflow_http

#pragma once

#include <string>
#include <string_view>

#include "base/status.h"

namespace inferd::mlflow_http {

enum class BodyForm { kJson, kCsv };

// What a Content-Type header says. INVALID_ARGUMENT: none that is read, another charset than UTF-8, or parameters that
// mean nothing here, in the words of MLflow's scoring server: the answer is 415.
base::Result<BodyForm> FormOfBody(std::string_view content_type);

}  // namespace inferd::mlflow_http

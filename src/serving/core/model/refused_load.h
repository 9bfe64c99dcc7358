#pragma once

#include <string>
#include <string_view>

#include "base/logging.h"
#include "base/status.h"

namespace inferd::core {

// The context of what is wrong with a load call or with a model's folder before anything is loaded, in Triton's words:
// "failed to load 'm', failed to poll from model repository". Clients' test suites look for it.
std::string FailedToPoll(std::string_view model);

// Logs that a load call is refused, and why: nothing else in the log names it, as nothing is loaded.
void LogRefusedLoad(base::Logger& logger, std::string_view model, const base::Status& why);

}  // namespace inferd::core

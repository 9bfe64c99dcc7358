#pragma once

#include "base/status.h"
#include "config/model/model_config.h"

namespace inferd::repository {

// The one list of what makes a model run code, or read and write the server's files, as soon as it is loaded or
// executed: by what its engine does with it, whatever its files are called. PERMISSION_DENIED, with the reason, if
// `resolved`, a configuration whose engine is known, is such a model's. Thread-safe.
base::Status CheckRunsNoCode(const config::ModelConfig& resolved);

}  // namespace inferd::repository

#pragma once

#include "base/status.h"
#include "config/model/model_config.h"

namespace inferd::repository {

// Checks that loading or executing the model runs none of its code and does not read or write the server's files. This
// is the only list of such engines; it does not depend on the names of the model's files. `resolved` must be a
// configuration whose engine is known. PERMISSION_DENIED, with the reason, if the model could. Thread-safe.
base::Status CheckRunsNoCode(const config::ModelConfig& resolved);

}  // namespace inferd::repository

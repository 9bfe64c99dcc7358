#pragma once

#include <optional>
#include <vector>

#include "base/logging.h"
#include "base/status.h"
#include "config/served_model.h"
#include "config/served_options.h"

namespace inferd::server {

// The models that the options name, out of the file that they name if they do; absent: they name none. What has no
// effect is logged. Errors: a file that cannot be read, and what is wrong in it.
base::Result<std::optional<std::vector<config::ServedModel>>> ReadServedModels(
    const config::ServedModelOptions& options, base::Logger& logger);

}  // namespace inferd::server

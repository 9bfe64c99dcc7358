#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/logging.h"
#include "base/status.h"
#include "config/served_model.h"
#include "config/served_options.h"
#include "core/catalog.h"

namespace inferd::server {

// The models that the options name, out of the file that they name if they do; absent: they name none. What has no
// effect is logged. Errors: a file that cannot be read, and what is wrong in it.
base::Result<std::optional<std::vector<config::ServedModel>>> ReadServedModels(
    const config::ServedModelOptions& options, base::Logger& logger);

// Has the catalog serve what a serialized ModelServerConfig says, as TensorFlow Serving's reload call asks for. Errors
// besides the catalog's: INVALID_ARGUMENT, UNIMPLEMENTED, of the message.
void ReloadModels(core::Catalog& catalog, std::string_view message, base::Logger& logger, core::ControlCallback done);

}  // namespace inferd::server

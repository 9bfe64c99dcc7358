#pragma once

#include <string>

#include "config/model/model_config.h"
#include "config/model/model_config_document.h"

namespace inferd::config {

// A problem with a dependency of the configuration, where that is written. `dependency` is one that the document has.
Problem AtDependency(const ModelConfigDocument& document, const Dependency& dependency, std::string message);

}  // namespace inferd::config

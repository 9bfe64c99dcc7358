#pragma once

#include <string>

#include "config/model/model_config.h"
#include "config/model/model_config_document.h"

namespace inferd::config {

// Returns a problem with a dependency at its place in the document, which must have it.
Problem AtDependency(const ModelConfigDocument& document, const Dependency& dependency, std::string message);

}  // namespace inferd::config

#pragma once

#include <cstdint>
#include <vector>

#include "config/model/model_config.h"

namespace inferd::repository {

// Selects the versions to serve from the available ones (ModelVersionPolicy). `available` and the result are ascending.
// A specific version that is not available is left out.
std::vector<int64_t> SelectVersions(const config::VersionPolicy& policy, const std::vector<int64_t>& available);

}  // namespace inferd::repository

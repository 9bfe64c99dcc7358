#pragma once

#include <cstdint>
#include <vector>

#include "config/model/model_config.h"

namespace inferd::repository {

// Which of the versions there are shall be served (ModelVersionPolicy), ascending. `available` is ascending.
// A specific version that is not there is left out.
std::vector<int64_t> SelectVersions(const config::VersionPolicy& policy, const std::vector<int64_t>& available);

}  // namespace inferd::repository

#pragma once

#include <string_view>
#include <vector>

#include "base/status.h"
#include "serving/core/model/catalog.h"

namespace inferd::v2 {

// Returns the catalog's statistics. If `triton_exact`, an unknown or unready model is INVALID_ARGUMENT in Triton's
// words.
base::Result<std::vector<core::ModelStatistics>> StatisticsOf(const core::Catalog& catalog, std::string_view model,
                                                              std::string_view version, bool triton_exact);

}  // namespace inferd::v2

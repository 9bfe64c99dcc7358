#include "protocols/v2/statistics.h"

#include <string>

#include "base/text/printable.h"
#include "serving/core/catalog_snapshot.h"

namespace inferd::v2 {

base::Result<std::vector<core::ModelStatistics>> StatisticsOf(const core::Catalog& catalog, std::string_view model,
                                                              std::string_view version, bool triton_exact) {
  auto statistics = catalog.Statistics(model, version);
  if (!triton_exact) return statistics;
  if (!version.empty() && core::ParseVersion(version) < 0) return std::unexpected(core::NoVersion(version));
  const std::string name = base::QuotedName(model);
  if (statistics.has_value() && (model.empty() || !statistics->empty())) return statistics;
  if (version.empty()) return std::unexpected(base::InvalidArgument("requested model " + name + " is not available"));
  return std::unexpected(base::InvalidArgument("requested model version is not available for model " + name));
}

}  // namespace inferd::v2

#include "protocols/tfs/version_status.h"

#include <algorithm>
#include <string>

namespace inferd::tfs {

std::string_view VersionStateName(VersionState state) {
  switch (state) {
    case VersionState::kStart: return "START";
    case VersionState::kLoading: return "LOADING";
    case VersionState::kAvailable: return "AVAILABLE";
    case VersionState::kUnloading: return "UNLOADING";
    case VersionState::kEnd: return "END";
    case VersionState::kUnknown: break;
  }
  return "UNKNOWN";
}

VersionStatus StatusOf(const core::IndexEntry& entry) {
  switch (entry.state) {
    case core::ModelState::kReady: return {VersionState::kAvailable};
    case core::ModelState::kLoading: return {VersionState::kLoading};
    case core::ModelState::kUnloading: return {VersionState::kUnloading};
    case core::ModelState::kUnavailable:
      if (entry.on_demand) return {VersionState::kStart};
      if (entry.failed_code == base::StatusCode::kOk) return {VersionState::kEnd};
      return {VersionState::kEnd, base::Status(entry.failed_code, entry.reason)};
    case core::ModelState::kUnknown: break;
  }
  return {VersionState::kStart};
}

base::Result<std::vector<core::IndexEntry>> FindVersions(const core::Catalog& catalog, const ModelSpec& spec) {
  auto versions = catalog.Versions(spec.model).value_or(std::vector<core::IndexEntry>());
  if (versions.empty()) return std::unexpected(base::NotFound("Could not find any versions of model " + spec.model));
  std::ranges::reverse(versions);
  if (spec.version.empty()) return versions;
  std::erase_if(versions, [&](const core::IndexEntry& entry) { return entry.version != spec.version; });
  if (!versions.empty()) return versions;
  return std::unexpected(base::NotFound("Could not find version " + spec.version + " of model " + spec.model));
}

}  // namespace inferd::tfs

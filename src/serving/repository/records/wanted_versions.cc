#include "serving/repository/records/wanted_versions.h"

#include <algorithm>

#include "serving/repository/records/version_policy.h"

namespace inferd::repository {

namespace {

WantedVersion MakeWanted(const ModelLook& look, int64_t version, const storage::TreeStat& files,
                         const Override& override) {
  WantedVersion wanted;
  const std::string& config_json = override.config_json.empty() ? look.config_json : override.config_json;
  wanted.content = {.shared = look.layout.shared, .files = files, .config_json = config_json};
  wanted.held.bytes = look.rules.memory_bytes > 0
                          ? static_cast<int64_t>(std::min<uint64_t>(look.rules.memory_bytes, HeldMemory::kMax))
                          : SizeOf(files);
  wanted.job.id = {look.name, version};
  wanted.job.repository = look.repository;
  wanted.job.model_dir = look.model_dir;
  wanted.job.version_dir = look.version_dirs.at(version);
  wanted.job.version_entries = TopEntries(files);
  wanted.job.config_json = config_json;
  wanted.job.keep_alive = override.files;
  if (config_json.empty() && !look.config_file.empty()) {
    wanted.job.config_file = look.model_dir / look.config_file;
  }
  return wanted;
}

}  // namespace

std::map<int64_t, WantedVersion> SelectWanted(const ModelLook& look, const Override& override,
                                              const std::map<int64_t, WantedVersion>& before) {
  std::map<int64_t, WantedVersion> whole;
  for (const auto& [version, files] : look.layout.versions) {
    if (look.settled.contains(version)) whole.emplace(version, MakeWanted(look, version, files, override));
  }
  if (look.changing) whole.insert(before.begin(), before.end());

  std::vector<int64_t> available;
  for (const auto& [version, wanted] : whole) available.push_back(version);
  std::map<int64_t, WantedVersion> selected;
  for (const int64_t version : SelectVersions(look.rules.policy, available)) selected.insert(whole.extract(version));
  return selected;
}

}  // namespace inferd::repository

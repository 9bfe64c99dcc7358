#include "repository/records/model_record.h"

#include <algorithm>

namespace inferd::repository {

namespace {

constexpr int64_t kRetryNsMin = 1'000'000'000;
constexpr int64_t kRetryNsMax = 60'000'000'000;

}  // namespace

core::ModelState VersionRecord::State() const {
  if (serving != nullptr) return core::ModelState::kReady;
  if (Pending()) return core::ModelState::kLoading;
  if (alive > 0 && !failed) return core::ModelState::kUnloading;
  return core::ModelState::kUnavailable;
}

int VersionRecord::Resident() const {
  return (serving == nullptr ? 0 : 1) + (loading ? 1 : 0) + std::max(Leaving(), 0);
}

int64_t VersionRecord::RetryNs() const {
  if (failures == 0) return failed_ns;
  return failed_ns + std::min(kRetryNsMin << std::min(failures - 1, 6U), kRetryNsMax);
}

bool ModelRecord::Replacing() const {
  return std::ranges::any_of(
      versions, [this](const auto& entry) { return entry.second.serving != nullptr && !wanted.contains(entry.first); });
}

bool ModelRecord::Replaces() const {
  return std::ranges::any_of(versions, [](const auto& entry) { return entry.second.waits_to_replace; });
}

bool ModelRecord::LoadsOnDemand(int64_t version) const { return on_demand && wanted.contains(version) && !Replacing(); }

const int64_t* ModelRecord::MeantOnDemand(std::string_view version, int64_t now_ns) const {
  if (!on_demand || wanted.empty()) return nullptr;
  if (!version.empty()) {
    const auto it = wanted.find(core::ParseVersion(version));
    return it == wanted.end() ? nullptr : &it->first;
  }
  for (auto it = wanted.rbegin(); it != wanted.rend(); ++it) {
    const auto known = versions.find(it->first);
    if (known == versions.end() || !known->second.failed || known->second.RetryNs() <= now_ns) return &it->first;
  }
  return &wanted.rbegin()->first;
}

size_t ModelRecord::Waiters() const {
  size_t waiters = 0;
  for (const auto& [version, record] : versions) waiters += record.waiters.size();
  return waiters;
}

bool ModelRecord::Available() const { return AnyReady() || (on_demand && !wanted.empty()); }

std::vector<VersionView> ModelRecord::Views() const {
  std::vector<VersionView> views;
  for (const auto& [version, record] : versions) {
    const auto it = wanted.find(version);
    const VersionContent* content = it == wanted.end() ? nullptr : &it->second.content;
    views.push_back({.version = version,
                     .wanted = content != nullptr,
                     .loading = record.loading || record.waits_for_room,
                     .asleep = !record.demanded && record.serving == nullptr && LoadsOnDemand(version),
                     .ready = record.serving != nullptr,
                     .current = content != nullptr && record.serving != nullptr && record.serving_content == *content,
                     .failed_same = content != nullptr && record.failed && record.failed_content == *content,
                     .leaving = record.Leaving() > 0});
  }
  return views;
}

bool ModelRecord::Loading() const {
  return std::ranges::any_of(versions, [](const auto& entry) { return entry.second.Pending(); });
}

bool ModelRecord::Up() const {
  return Available() && std::ranges::all_of(Views(), [this](const VersionView& view) {
           return !view.wanted || view.ready || view.failed_same || LoadsOnDemand(view.version);
         });
}

std::string ModelRecord::Failure() const {
  if (Available() || Loading() || changing) return {};
  const auto failed = std::ranges::find_if(versions, [](const auto& entry) { return entry.second.failed; });
  return failed == versions.end() ? problem : failed->second.reason;
}

void ModelRecord::RetryFailed(int64_t now_ns, uint32_t failures_max, int64_t wait_ns) {
  for (auto& [version, entry] : versions) {
    const bool due = now_ns - entry.failed_ns >= wait_ns;
    if (entry.failed && entry.failures <= failures_max && due) entry.failed = false;
  }
}

void ModelRecord::NoteNotLoaded() {
  for (auto& [version, entry] : versions) {
    const bool quiet = entry.serving == nullptr && !entry.Pending() && entry.alive == 0 && !entry.failed;
    if (quiet && LoadsOnDemand(version)) entry.reason = kNotLoaded;
  }
}

void ModelRecord::Prune() {
  std::erase_if(versions, [this](const auto& entry) {
    const auto& [version, record] = entry;
    const bool known = layout.versions.contains(version) || wanted.contains(version) || authority != Authority::kFolder;
    return !known && record.serving == nullptr && !record.loading && record.alive == 0;
  });
}

bool ModelRecord::AnyReady() const {
  return std::ranges::any_of(versions, [](const auto& entry) { return entry.second.serving != nullptr; });
}

bool ModelRecord::Forgettable() const {
  return !on_disk && !changing && authority == Authority::kFolder && load_waiters.empty() &&
         std::ranges::all_of(versions, [](const auto& entry) {
           const VersionRecord& record = entry.second;
           return record.serving == nullptr && !record.loading && record.alive == 0;
         });
}

base::Status ModelRecord::LoadOutcome() const {
  if (wanted.empty()) return base::InvalidArgument("failed to load '" + name + "', " + problem);
  std::string failures;
  for (const auto& [version, target] : wanted) {
    const auto it = versions.find(version);
    if (it == versions.end()) continue;
    const VersionRecord& record = it->second;
    if (record.failed && record.failed_content == target.content) {
      failures += "version " + std::to_string(version) + " is at UNAVAILABLE state: " + record.reason + ";\n";
    }
  }
  if (failures.empty()) return base::OkStatus();
  return base::InvalidArgument("load failed for model '" + name + "': " + failures);
}

core::CatalogSnapshot::Model ModelRecord::Snapshot() const {
  core::CatalogSnapshot::Model model;
  model.reason = problem;
  model.labels = labels;
  for (const auto& [version, record] : versions) {
    const bool sleeps = LoadsOnDemand(version) && record.serving == nullptr && !record.failed;
    model.versions.push_back({.version = version,
                              .serving = record.serving,
                              .state = record.State(),
                              .reason = record.reason,
                              .failed_code = record.failed_code,
                              .on_demand = on_demand && wanted.contains(version),
                              .precedes_ready = sleeps});
    // The highest version's reason says most about a model that has none ready.
    if (wanted.contains(version) || wanted.empty()) {
      if (record.Pending()) model.reason = "version " + std::to_string(version) + " is loading";
      if (!record.Pending() && !record.reason.empty())
        model.reason = "version " + std::to_string(version) + ": " + record.reason;
    }
  }
  return model;
}

void ModelRecord::AppendIndex(bool ready_only, std::vector<core::IndexEntry>& entries) const {
  if (versions.empty()) {
    if (ready_only) return;
    entries.push_back({.name = name,
                       .version = "",
                       .state = problem.empty() ? core::ModelState::kUnknown : core::ModelState::kUnavailable,
                       .reason = problem,
                       .repository = repository});
    return;
  }
  for (const auto& [version, record] : versions) {
    const core::ModelState state = record.State();
    if (ready_only && state != core::ModelState::kReady) continue;
    const base::Status available = record.serving == nullptr ? base::OkStatus() : record.serving->Available();
    entries.push_back(
        {.name = name,
         .version = std::to_string(version),
         .state = state,
         .reason = available.ok() ? record.reason : std::string(available.message()),
         .repository = repository,
         .failed_code = record.failed_code,
         .on_demand = state == core::ModelState::kUnavailable && !record.failed && LoadsOnDemand(version)});
  }
}

}  // namespace inferd::repository

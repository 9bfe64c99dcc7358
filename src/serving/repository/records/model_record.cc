#include "serving/repository/records/model_record.h"

#include <algorithm>

namespace inferd::repository {

bool ModelRecord::Replacing() const {
  return std::ranges::any_of(versions, [this](const auto& entry) {
    return entry.second.serving() != nullptr && !wanted.contains(entry.first);
  });
}

bool ModelRecord::Replaces() const {
  return std::ranges::any_of(
      versions, [](const auto& entry) { return entry.second.phase() == VersionHarness::Phase::kWaitingToReplace; });
}

bool ModelRecord::Ending() const {
  return std::ranges::any_of(versions, [](const auto& entry) { return entry.second.ending(); });
}

void ModelRecord::NoteLeft(const core::ModelVersion& load) {
  for (const config::Dependency& dependency : load.config().dependencies) {
    if (std::ranges::find(left_needs, dependency) == left_needs.end()) left_needs.push_back(dependency);
  }
}

void ModelRecord::ForgetLeft() {
  if (std::ranges::all_of(versions, [](const auto& entry) { return LeavingLoads(entry.second) == 0; }))
    left_needs.clear();
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
    if (known == versions.end()) return &it->first;
    const LoadFailure& failure = known->second.failure();
    if (!failure.failed || failure.RetryNs() <= now_ns) return &it->first;
  }
  return &wanted.rbegin()->first;
}

size_t ModelRecord::Waiters() const {
  size_t count = 0;
  for (const auto& [version, waiting] : waiters) count += waiting.size();
  return count;
}

bool ModelRecord::Available() const { return AnyReady() || (on_demand && !wanted.empty()); }

std::optional<LoadJob> ModelRecord::Described() const {
  if (!wanted.empty()) return wanted.rbegin()->second.job;
  if (config_file.empty()) return std::nullopt;
  LoadJob job;
  job.id.name = name;
  job.repository = repository;
  job.config_file = config_file;
  return job;
}

std::vector<VersionView> ModelRecord::Views() const {
  using Phase = VersionHarness::Phase;
  std::vector<VersionView> views;
  for (const auto& [version, harness] : versions) {
    const auto it = wanted.find(version);
    const VersionContent* content = it == wanted.end() ? nullptr : &it->second.content;
    const bool ready = harness.serving() != nullptr;
    views.push_back({.version = version,
                     .wanted = content != nullptr,
                     .loading = harness.phase() == Phase::kLoading || harness.phase() == Phase::kWaitingForRoom,
                     .asleep = !harness.demanded() && !ready && LoadsOnDemand(version),
                     .ready = ready,
                     .current = content != nullptr && harness.Serves(*content),
                     .failed_same = content != nullptr && harness.failure().With(*content),
                     .leaving = LeavingLoads(harness) > 0});
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
  const auto failed = std::ranges::find_if(versions, [](const auto& entry) { return entry.second.failure().failed; });
  return failed == versions.end() ? problem : failed->second.reason();
}

bool ModelRecord::AnyFailed() const {
  return std::ranges::any_of(versions, [](const auto& entry) { return entry.second.failure().failed; });
}

bool ModelRecord::WantedFailed() const {
  return std::ranges::any_of(wanted, [this](const auto& entry) {
    const auto known = versions.find(entry.first);
    return known != versions.end() && known->second.failure().With(entry.second.content);
  });
}

void ModelRecord::RetryFailed(int64_t now_ns, uint32_t failures_max, int64_t wait_ns) {
  for (auto& [version, harness] : versions) {
    if (harness.failure().Due(now_ns, failures_max, wait_ns)) harness.ForgetFailure();
  }
}

bool ModelRecord::RetryDue(int64_t now_ns, uint32_t failures_max, int64_t wait_ns) const {
  return std::ranges::any_of(
      versions, [&](const auto& entry) { return entry.second.failure().Due(now_ns, failures_max, wait_ns); });
}

void ModelRecord::NoteNotLoaded() {
  for (auto& [version, harness] : versions) {
    if (LoadsOnDemand(version)) harness.NoteAsleep();
  }
}

std::vector<int64_t> ModelRecord::Prune(size_t gone_max) {
  std::vector<int64_t> dropped;
  for (auto it = versions.end(); it != versions.begin();) {
    --it;
    const auto& [version, harness] = *it;
    const bool known = layout.versions.contains(version) || wanted.contains(version) || authority != Authority::kFolder;
    if (known || harness.alive() != 0) continue;
    if (gone_max > 0 && harness.has_served() && !harness.failure().failed) {
      --gone_max;
      continue;
    }
    dropped.push_back(version);
    it = versions.erase(it);
  }
  return dropped;
}

bool ModelRecord::AnyReady() const {
  return std::ranges::any_of(versions, [](const auto& entry) { return entry.second.serving() != nullptr; });
}

bool ModelRecord::Forgettable() const {
  return !on_disk && !changing && authority == Authority::kFolder && load_waiters.empty() && waiters.empty() &&
         std::ranges::all_of(versions, [](const auto& entry) { return entry.second.alive() == 0; });
}

base::Status ModelRecord::LoadOutcome() const {
  if (wanted.empty()) return base::InvalidArgument("failed to load '" + name + "', " + problem);
  std::string failures;
  for (const auto& [version, target] : wanted) {
    const auto it = versions.find(version);
    if (it == versions.end()) continue;
    if (!it->second.failure().With(target.content)) continue;
    failures += "version " + std::to_string(version) + " is at UNAVAILABLE state: " + it->second.reason() + ";\n";
  }
  if (failures.empty()) return base::OkStatus();
  return base::InvalidArgument("load failed for model '" + name + "': " + failures);
}

core::CatalogSnapshot::Model ModelRecord::Snapshot() const {
  core::CatalogSnapshot::Model model;
  model.reason = problem;
  model.labels = labels;
  for (const auto& [version, harness] : versions) {
    const bool sleeps = LoadsOnDemand(version) && harness.serving() == nullptr && !harness.failure().failed;
    model.versions.push_back({.version = version,
                              .serving = harness.serving(),
                              .state = StateOf(harness),
                              .reason = harness.reason(),
                              .failed_code = harness.failure().code,
                              .on_demand = on_demand && wanted.contains(version),
                              .precedes_ready = sleeps});
    // The reason of the highest version says most about a model without a ready version.
    if (wanted.contains(version) || wanted.empty()) {
      const bool comes = harness.Pending() && harness.phase() != VersionHarness::Phase::kWaitingForDependencies;
      if (comes) model.reason = "version " + std::to_string(version) + " is loading";
      if (!comes && !harness.reason().empty())
        model.reason = "version " + std::to_string(version) + ": " + harness.reason();
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
  for (const auto& [version, harness] : versions) {
    const core::ModelState state = StateOf(harness);
    if (ready_only && state != core::ModelState::kReady) continue;
    const base::Status available = harness.serving() == nullptr ? base::OkStatus() : harness.serving()->Available();
    entries.push_back(
        {.name = name,
         .version = std::to_string(version),
         .state = state,
         .reason = available.ok() ? harness.reason() : std::string(available.message()),
         .repository = repository,
         .failed_code = harness.failure().code,
         .on_demand = state == core::ModelState::kUnavailable && !harness.failure().failed && LoadsOnDemand(version)});
  }
}

}  // namespace inferd::repository

#include "serving/repository/records/version_metrics.h"

#include <algorithm>
#include <utility>

namespace inferd::repository {

metrics::Labels VersionMetrics::LabelsOf(const std::string& model, const Shown& version) {
  return {{"model", model}, {"version", std::to_string(version.version)}};
}

metrics::Labels VersionMetrics::StateLabelsOf(const std::string& model, const Shown& version) {
  metrics::Labels labels = LabelsOf(model, version);
  labels.emplace_back("state", std::string(core::ModelStateName(version.state)));
  return labels;
}

// Does not search all: a model may have thousands of versions, and each change of one comes here.
const VersionMetrics::Shown* VersionMetrics::FindVersion(const std::vector<Shown>& versions, int64_t version) {
  const auto found = std::ranges::lower_bound(versions, version, {}, &Shown::version);
  return found == versions.end() || found->version != version ? nullptr : &*found;
}

void VersionMetrics::Update(const ModelRecord& record) {
  std::vector<Shown> now;
  for (const auto& [number, version] : record.versions) {
    const core::ModelState state = StateOf(version);
    if (state == core::ModelState::kUnavailable && !version.failure().failed) continue;
    now.push_back({.version = number, .state = state, .bytes = version.alive() * version.held().bytes});
  }
  Show(record.name, std::move(now));
}

void VersionMetrics::Forget(const std::string& model) { Show(model, {}); }

void VersionMetrics::Show(const std::string& model, std::vector<Shown> now) {
  const auto known = shown_.find(model);
  if (known == shown_.end() && now.empty()) return;
  std::vector<Shown>& before = known == shown_.end() ? shown_[model] : known->second;
  if (before == now) return;
  for (const Shown& old : before) {
    const Shown* const same = FindVersion(now, old.version);
    if (same == nullptr) {
      registry_.Remove(LabelsOf(model, old));
    } else if (same->state != old.state) {
      registry_.Remove(StateLabelsOf(model, old));
    }
  }
  for (const Shown& version : now) {
    if (const Shown* const old = FindVersion(before, version.version); old != nullptr && *old == version) continue;
    registry_
        .AddGauge("inferd_model_state", "1, with the state of the model's version as a label",
                  StateLabelsOf(model, version))
        ->Set(1);
    registry_
        .AddGauge("inferd_model_memory_bytes", "Memory that the version's loads hold, by estimate",
                  LabelsOf(model, version))
        ->Set(version.bytes);
  }
  if (now.empty()) {
    shown_.erase(model);
  } else {
    before = std::move(now);
  }
}

}  // namespace inferd::repository

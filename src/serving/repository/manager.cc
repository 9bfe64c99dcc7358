#include "serving/repository/manager.h"

#include <algorithm>

#include "config/model/model_config_document.h"
#include "serving/repository/load/batching_words.h"
#include "serving/repository/manager_core.h"

namespace inferd::repository {

namespace {

core::ModelStatistics StatisticsOf(const core::ModelVersion& version) {
  core::ModelStatistics stats = version.statistics().Read();
  stats.name = version.id().name;
  stats.version = version.version();
  return stats;
}

std::string BatchingText(const config::ModelConfig& config) {
  if (!ModelDecidedBatching(config)) return {};
  return (config.batching_decision.batches ? "on: " : "off: ") + config.batching_decision.reason;
}

}  // namespace

Manager::Manager(ManagerOptions options, ManagerServices services)
    : snapshots_(services.snapshots), core_(std::make_unique<Core>(std::move(options), std::move(services))) {}

Manager::~Manager() = default;

base::Status Manager::Start() { return core_->Start(); }
void Manager::BeginDrain() { core_->BeginDrain(); }
void Manager::Shutdown() { core_->Shutdown(); }
size_t Manager::ShutdownBefore(std::chrono::steady_clock::time_point until) { return core_->Shutdown(until); }
void Manager::LookNow() { core_->Look(); }
void Manager::WaitIdle() { core_->WaitIdle(); }

bool Manager::ServerLive() const { return !core_->HasFailed(); }
std::string Manager::StartupFailure() const { return core_->StartupFailure(); }
std::string Manager::BadConfiguration() const { return core_->BadConfiguration(); }

bool Manager::StartupTried() const { return core_->StartupTried(); }
bool Manager::StartupFailed() const { return core_->StartupFailed(); }

bool Manager::ServerReady() const { return core_->Ready(); }

base::Status Manager::ModelReady(std::string_view model, std::string_view version) const {
  const auto found = snapshots_.Current()->Find(model, version);
  return found.has_value() ? (*found)->Available() : found.error();
}

void Manager::AskModelReady(std::string_view model, std::string_view version, core::ControlCallback done) const {
  const auto found = snapshots_.Current()->Find(model, version);
  base::Status status = found.has_value() ? (*found)->Available() : found.error();
  core::ReadinessProbe* const probe = status.ok() ? (*found)->readiness() : nullptr;
  if (probe == nullptr) return done(std::move(status));
  probe->Ask(std::move(done));
}

base::Result<core::ModelMetadata> Manager::Metadata(std::string_view model, std::string_view version) const {
  const auto snapshot = snapshots_.Current();
  INFERD_ASSIGN_OR_RETURN(const auto serving, snapshot->Find(model, version));
  core::ModelMetadata metadata;
  metadata.name = serving->id().name;
  metadata.platform = serving->platform();
  metadata.inputs = serving->signature().inputs;
  metadata.outputs = serving->signature().outputs;
  metadata.parameters = serving->config().parameters;
  metadata.batching = BatchingText(serving->config());
  if (!version.empty()) {
    metadata.versions = {serving->version()};
    return metadata;
  }
  for (const auto& entry : snapshot->FindModel(model)->versions) {
    if (entry.state == core::ModelState::kReady) metadata.versions.push_back(std::to_string(entry.version));
  }
  return metadata;
}

base::Result<std::string> Manager::ConfigJson(std::string_view model, std::string_view version) const {
  INFERD_ASSIGN_OR_RETURN(const auto serving, snapshots_.Current()->Find(model, version));
  return serving->config().document->ToJson();
}

base::Result<std::string> Manager::WrittenConfigJson(std::string_view model) const {
  const auto ready = ConfigJson(model, "");
  if (ready.has_value()) return ready;
  return core_->WrittenConfigJson(model, ready.error());
}

base::Result<core::SchedulerReport> Manager::Scheduling(std::string_view model, std::string_view version) const {
  INFERD_ASSIGN_OR_RETURN(const auto serving, snapshots_.Current()->Find(model, version));
  core::SchedulerReport report = serving->scheduler().Report();
  report.id = serving->id();
  const config::BatchingDecision& decision = serving->config().batching_decision;
  report.batching_reason = decision.reason;
  report.batching_decided_by = config::BatchingSourceName(decision.source);
  report.recent = serving->scheduler().RecentExecutions();
  return report;
}

base::Result<std::vector<core::ModelStatistics>> Manager::Statistics(std::string_view model,
                                                                     std::string_view version) const {
  const auto snapshot = snapshots_.Current();
  std::vector<core::ModelStatistics> statistics;
  const core::CatalogSnapshot::Model* const named = snapshot->FindModel(model);
  if (!model.empty() && (!version.empty() || named == nullptr)) {
    INFERD_ASSIGN_OR_RETURN(const auto serving, snapshot->Find(model, version));
    statistics.push_back(StatisticsOf(*serving));
    return statistics;
  }
  const auto add = [&](const std::string&, const core::CatalogSnapshot::Model& entry) {
    for (const auto& candidate : entry.versions) {
      if (const auto serving = candidate.serving.lock()) statistics.push_back(StatisticsOf(*serving));
    }
  };
  if (model.empty()) {
    snapshot->models().ForEach(add);
  } else {
    add(std::string(model), *named);
  }
  std::ranges::stable_sort(statistics, {}, &core::ModelStatistics::name);
  return statistics;
}

base::Result<std::vector<core::IndexEntry>> Manager::Index(std::string_view repository, bool ready_only) const {
  return core_->Index(std::string(repository), ready_only);
}

base::Result<std::vector<core::IndexEntry>> Manager::Versions(std::string_view model) const {
  const auto snapshot = snapshots_.Current();
  const core::CatalogSnapshot::Model* const entry = snapshot->FindModel(model);
  if (entry == nullptr) return std::unexpected(snapshot->Find(model, "").error());
  std::vector<core::IndexEntry> versions;
  for (const core::CatalogSnapshot::Version& version : entry->versions) {
    versions.push_back({.name = std::string(model),
                        .version = std::to_string(version.version),
                        .state = version.state,
                        .reason = version.reason,
                        .repository = "",
                        .failed_code = version.failed_code,
                        .on_demand = version.precedes_ready && version.state == core::ModelState::kUnavailable});
  }
  return versions;
}

std::vector<std::string> Manager::ModelNames() const {
  std::vector<std::string> names;
  snapshots_.Current()->models().ForEach([&](const std::string& name, const auto&) { names.push_back(name); });
  std::ranges::sort(names);
  return names;
}

std::vector<core::DepartedModel> Manager::Departed(std::string_view model) const { return core_->Departed(model); }
core::DepartedModel Manager::DepartedVersions(std::string_view model) const { return core_->DepartedVersions(model); }

void Manager::Load(core::LoadCall call, core::ControlCallback done) {
  core_->calls().Load(std::move(call), std::move(done));
}
void Manager::Unload(core::UnloadCall call, core::ControlCallback done) {
  core_->calls().Unload(call, std::move(done));
}
void Manager::ReplaceModels(std::vector<config::ServedModel> models, core::ControlCallback done) {
  core_->served_models().Replace(std::move(models), std::move(done));
}
void Manager::Demand(core::LoadDemand demand) { core_->demand_queue().Push(std::move(demand)); }
void Manager::ExpireDemands() { core_->ServeDemands({}); }
uint64_t Manager::RefusedTransitions() const { return core_->RefusedTransitions(); }
uint64_t Manager::RecordsTouched() const { return core_->RecordsTouched(); }

}  // namespace inferd::repository

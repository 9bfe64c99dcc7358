#include "serving/repository/calls.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/memory_shortage.h"
#include "config/model/model_config_parser.h"
#include "serving/core/model/refused_load.h"
#include "serving/repository/load/code_of_models.h"
#include "serving/repository/records/wanted_versions.h"
#include "storage/local_storage.h"

namespace inferd::repository {

namespace {

// Reads the staging folder of a load call as if it were the model's folder.
base::Result<ModelLook> LookIntoStaging(const core::LoadCall& call, const storage::StagingFolder& staging) {
  INFERD_ASSIGN_OR_RETURN(const storage::TreeStat tree, storage::StatTree(staging.path()));
  ModelLook look;
  look.name = call.model;
  look.repository = call.repository;
  look.model_dir = staging.path();
  look.layout = SplitTree(tree);
  for (const int64_t version : look.layout.VersionNumbers()) {
    look.version_dirs[version] = staging.path() / std::to_string(version);
    look.settled.insert(version);
  }
  return look;
}

}  // namespace

void Calls::Run(core::ControlCallback done, Call call) {
  {
    base::MutexLock lock(state_.mutex);
    if (!state_.stopping && state_.started) {
      ++state_.busy;
      pool_.Post([this, call = std::move(call), done = std::move(done)]() mutable {
        base::Status status = base::ResourceExhausted("the server is out of memory");
        base::RunUnlessOutOfMemory([&] { status = call(done); });
        if (!status.ok() && done) done(std::move(status));
        base::MutexLock busy_lock(state_.mutex);
        --state_.busy;
        state_.changed.NotifyAll();
      });
      return;
    }
  }
  done(base::Unavailable("the server is starting or shutting down"));
}

base::Status Calls::CheckControl() const {
  if (!options_.triton_exact || options_.control == config::ControlMode::kExplicit) return base::OkStatus();
  return base::Unavailable("explicit model load / unload is not allowed if polling is enabled");
}

void Calls::KeepOverride(Target& target) const {
  const base::MutexLock lock(state_.mutex);
  const ModelRecord* const record = state_.records.Find(target.look.name);
  if (record == nullptr || record->wanted.empty() || record->authority != Authority::kLoadCall) return;
  // A model file that was edited since then replaces the call's configuration.
  if (record->layout.shared != target.look.layout.shared) return;
  const WantedVersion& last = record->wanted.begin()->second;
  if (last.content.config_json.empty()) return;
  auto config = config::ModelConfigFromJson(last.content.config_json);
  if (!config.has_value()) return;
  target.look.rules = VersionRulesOf(*config);
  target.wanted = SelectWanted(target.look, {.config_json = last.content.config_json, .files = nullptr}, {});
}

void Calls::Load(core::LoadCall call, core::ControlCallback done) {
  if (base::Status status = CheckControl(); !status.ok()) return done(std::move(status));
  Run(std::move(done), [this, call = std::move(call)](core::ControlCallback& answer) {
    base::Status status = ApplyLoad(call, answer);
    if (!status.ok()) core::LogRefusedLoad(logger_, call.model, status);
    return status;
  });
}

base::Status Calls::ApplyLoad(const core::LoadCall& call, core::ControlCallback& done) {
  if (const base::Status named = storage::CheckModelName(call.model); !named.ok()) {
    return named.WithContext(core::FailedToPoll(call.model));
  }
  if (!call.files.empty() && call.config_json.empty()) {
    return base::InvalidArgument("a load of '" + call.model + "' with files needs a 'config' parameter too");
  }
  {
    base::MutexLock lock(state_.mutex);
    INFERD_RETURN_IF_ERROR(state_.CheckRepository(call.repository));
  }
  std::shared_ptr<const storage::StagingFolder> staging;
  if (!call.files.empty()) {
    INFERD_ASSIGN_OR_RETURN(staging, storage::StagingFolder::Create(options_.staging_dir, call.files));
  }
  Deferred deferred;
  {
    base::MutexLock source_lock(source_.mutex);
    INFERD_ASSIGN_OR_RETURN(Target target, FindTarget(call, std::move(staging)));
    std::vector<Along> along = FindAlong(target);
    INFERD_RETURN_IF_ERROR(Apply(call, std::move(target), std::move(along), done, deferred));
  }
  RunAll(deferred);
  return base::OkStatus();
}

base::Result<Calls::Target> Calls::FindTarget(const core::LoadCall& call,
                                              std::shared_ptr<const storage::StagingFolder> staging) {
  Target target;
  auto folder = source_.source->LookAt(call.model, call.repository);
  if (!folder.has_value() && (staging == nullptr || folder.error().code() != base::StatusCode::kNotFound)) {
    return std::unexpected(folder.error());
  }
  if (folder.has_value()) target.folder = *std::move(folder);
  if (staging != nullptr) {
    INFERD_ASSIGN_OR_RETURN(target.look, LookIntoStaging(call, *staging));
  } else {
    target.look = *target.folder;
  }
  if (!call.config_json.empty()) {
    const base::Result<config::ModelConfig> config = config::ModelConfigFromJson(call.config_json);
    if (!config.has_value()) {
      return std::unexpected(config.error().WithContext(core::FailedToPoll(call.model) + ": Invalid config override"));
    }
    target.look.rules = VersionRulesOf(*config);
  }
  target.wanted = SelectWanted(target.look, {.config_json = call.config_json, .files = std::move(staging)}, {});
  if (options_.triton_exact && call.config_json.empty()) KeepOverride(target);
  if (target.wanted.empty()) {
    const base::Status fault = call.config_json.empty() ? wants_.CheckConfiguration(target.look) : base::OkStatus();
    if (!fault.ok()) {
      return std::unexpected(fault.WithContext(core::FailedToPoll(call.model)));
    }
    return std::unexpected(base::InvalidArgument("failed to load '" + call.model +
                                                 "', at least one version must be available under the "
                                                 "version policy of model '" +
                                                 call.model + "'"));
  }
  // A mistake in the call itself must change nothing.
  if (!call.config_json.empty()) INFERD_RETURN_IF_ERROR(CheckBrought(call, target));
  return target;
}

base::Status Calls::CheckBrought(const core::LoadCall& call, const Target& target) const {
  INFERD_ASSIGN_OR_RETURN(const config::ModelConfig first, loader_.Resolve(target.wanted.begin()->second.job));
  if (call.may_run_code) return base::OkStatus();
  INFERD_RETURN_IF_ERROR(CheckRunsNoCode(first));
  // Each version may have its own engine, depending on its files. A version that cannot be resolved will not be loaded.
  for (const auto& [version, wanted] : target.wanted) {
    const auto resolved = loader_.Resolve(wanted.job);
    if (resolved.has_value()) INFERD_RETURN_IF_ERROR(CheckRunsNoCode(*resolved));
  }
  return base::OkStatus();
}

std::optional<std::vector<config::Dependency>> Calls::LeftAsItIs(const std::string& model) {
  const base::MutexLock lock(state_.mutex);
  const ModelRecord* const record = state_.records.Find(model);
  if (record == nullptr || record->wanted.empty()) return std::nullopt;
  const bool overridden =
      std::ranges::any_of(record->wanted, [](const auto& entry) { return !entry.second.content.config_json.empty(); });
  if (!overridden && options_.control == config::ControlMode::kExplicit) return std::nullopt;
  return record->dependencies;
}

std::vector<Calls::Along> Calls::FindAlong(const Target& target) {
  std::vector<Along> along;
  std::set<std::string> seen = {target.look.name};
  const auto add = [&](const std::vector<config::Dependency>& dependencies) {
    for (const config::Dependency& other : dependencies) {
      if (seen.insert(other.model).second) along.push_back({.model = other.model, .target = std::nullopt});
    }
  };
  add(target.look.rules.dependencies);
  for (size_t next = 0; next < along.size(); ++next) {
    const std::string model = along[next].model;
    if (const auto stays = LeftAsItIs(model)) {
      add(*stays);
      continue;
    }
    if (!storage::CheckModelName(model).ok()) continue;
    auto found = FindTarget({.model = model, .repository = "", .config_json = "", .files = {}}, nullptr);
    if (!found.has_value()) continue;  // the model that depends on it reports that it is missing
    add(found->look.rules.dependencies);
    along[next].target = *std::move(found);
  }
  return along;
}

ModelRecord& Calls::Take(const std::string& model, const std::string& repository, Target target) {
  ModelRecord& record = state_.records.Add(model);
  record.repository = target.folder.has_value() ? target.folder->repository : repository;
  record.on_disk = target.folder.has_value();
  record.layout = target.folder.has_value() ? target.folder->layout : ModelLayout{};
  record.changing = false;
  record.authority = Authority::kLoadCall;
  wants_.Want(target.look, std::move(target.wanted), record);
  if (state_.records.initial().contains(model)) wants_.NotePolled(target.look, record);
  // A repeated call asks for another try.
  for (auto& [version, harness] : record.versions) harness.ForgetFailure();
  return record;
}

void Calls::ApplyAlong(Along along, Deferred& deferred) {
  ModelRecord* record = state_.records.Change(along.model);
  if (along.target.has_value()) {
    const bool is_new = record == nullptr || record->wanted.empty();
    record = &Take(along.model, "", *std::move(along.target));
    record->loaded_along = record->loaded_along || is_new;
  }
  if (record == nullptr) return;
  for (auto& [version, harness] : record->versions) harness.ForgetFailure();
  stepper_.Advance(state_, *record, deferred);
}

base::Status Calls::Apply(const core::LoadCall& call, Target target, std::vector<Along> along,
                          core::ControlCallback& done, Deferred& deferred) {
  base::MutexLock lock(state_.mutex);
  if (state_.stopping) return ShuttingDown();
  for (Along& other : along) ApplyAlong(std::move(other), deferred);
  ModelRecord& record = Take(call.model, call.repository, std::move(target));
  record.loaded_along = false;
  for (const auto& [version, wanted] : record.wanted) record.versions[version].SetDemanded(true);
  record.load_waiters.push_back(std::move(done));
  stepper_.Advance(state_, record, deferred);
  stepper_.Conclude(state_, deferred);
  return base::OkStatus();
}

void Calls::MakeUnwanted(ModelRecord& record) {
  record.authority = Authority::kUnloadCall;
  record.wanted.clear();
  record.problem = "unloaded";
  record.loaded_along = false;
}

void Calls::Unload(const core::UnloadCall& call, core::ControlCallback done) {
  Deferred deferred;
  base::Status status = CheckControl();
  if (!status.ok()) return done(std::move(status));
  {
    base::MutexLock lock(state_.mutex);
    status = state_.CheckRepository(call.repository);
    ModelRecord* const record = state_.records.Change(call.model);
    if (status.ok() && record != nullptr && !state_.stopping && options_.triton_exact && record->Loading()) {
      record->when_loaded.push_back([this, call, done = std::move(done)]() mutable { Unload(call, std::move(done)); });
      return;
    }
    // As in Triton, unloading an unknown model succeeds.
    if (status.ok() && record != nullptr && !state_.stopping) {
      std::vector<std::string> along;
      if (call.unload_dependents) along = LoadedAlong(state_.records, call.model);
      MakeUnwanted(*record);
      record->unload_waiters.push_back(std::move(done));
      stepper_.Advance(state_, *record, deferred);
      for (const std::string& name : along) {
        MakeUnwanted(*state_.records.Change(name));
        stepper_.Advance(state_, *state_.records.Change(name), deferred);
      }
      stepper_.Conclude(state_, deferred);
    }
  }
  RunAll(deferred);
  if (done) done(std::move(status));
}

}  // namespace inferd::repository

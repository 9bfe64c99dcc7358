#include <algorithm>

#include "base/memory_shortage.h"
#include "config/model/model_config_parser.h"
#include "repository/manager_core.h"
#include "repository/records/wanted_versions.h"
#include "storage/local_storage.h"

// Load and unload calls, and the index: the part of the manager that clients drive.

namespace inferd::repository {

namespace {

// The staging folder of a load call, looked into as if it were the model's folder.
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

base::Status Manager::Core::CheckRepository(const std::string& repository) const {
  if (repository.empty() || std::ranges::find(repositories_, repository) != repositories_.end())
    return base::OkStatus();
  return base::NotFound("there is no model repository '" + repository + "'");
}

void Manager::Core::RunCall(core::ControlCallback done, Call call) {
  {
    base::MutexLock lock(mutex_);
    if (!stopping_ && started_) {
      ++busy_;
      load_pool_.Post([this, call = std::move(call), done = std::move(done)]() mutable {
        base::Status status = base::ResourceExhausted("the server is out of memory");
        base::RunUnlessOutOfMemory([&] { status = call(done); });
        if (!status.ok() && done) done(std::move(status));
        base::MutexLock busy_lock(mutex_);
        --busy_;
        changed_.NotifyAll();
      });
      return;
    }
  }
  done(base::Unavailable("the server is starting or shutting down"));
}

void Manager::Core::Load(core::LoadCall call, core::ControlCallback done) {
  RunCall(std::move(done),
          [this, call = std::move(call)](core::ControlCallback& answer) { return ApplyLoad(call, answer); });
}

base::Status Manager::Core::ApplyLoad(const core::LoadCall& call, core::ControlCallback& done) {
  INFERD_RETURN_IF_ERROR(storage::CheckModelName(call.model));
  if (!call.files.empty() && call.config_json.empty()) {
    return base::InvalidArgument("a load of '" + call.model + "' with files needs a 'config' parameter too");
  }
  {
    base::MutexLock lock(mutex_);
    INFERD_RETURN_IF_ERROR(CheckRepository(call.repository));
  }
  std::shared_ptr<const storage::StagingFolder> staging;
  if (!call.files.empty()) {
    INFERD_ASSIGN_OR_RETURN(staging, storage::StagingFolder::Create(options_.staging_dir, call.files));
  }
  base::MutexLock source_lock(source_mutex_);
  auto folder = source_->LookAt(call.model, call.repository);
  if (!folder.has_value() && (staging == nullptr || folder.error().code() != base::StatusCode::kNotFound))
    return folder.error();
  ModelLook look;
  if (staging != nullptr) {
    INFERD_ASSIGN_OR_RETURN(look, LookIntoStaging(call, *staging));
  } else {
    look = *folder;
  }
  const Override override{.config_json = call.config_json, .files = staging};
  if (!call.config_json.empty()) {
    INFERD_ASSIGN_OR_RETURN(const config::ModelConfig config, config::ModelConfigFromJson(call.config_json));
    look.rules = VersionRulesOf(config);
  }
  std::map<int64_t, WantedVersion> wanted = SelectWanted(look, override, {});
  if (wanted.empty()) {
    return base::InvalidArgument("failed to load '" + call.model +
                                 "', at least one version must be available under the "
                                 "version policy of model '" +
                                 call.model + "'");
  }
  // What is wrong with the call itself leaves everything as it was.
  if (!call.config_json.empty()) {
    auto resolved = loader_.Resolve(wanted.begin()->second.job);
    if (!resolved.has_value()) return resolved.error();
  }

  Deferred deferred;
  {
    base::MutexLock lock(mutex_);
    if (stopping_) return base::Unavailable("the server is shutting down");
    ModelRecord& record = records_.Add(call.model);
    record.repository = folder.has_value() ? folder->repository : call.repository;
    record.on_disk = folder.has_value();
    record.layout = folder.has_value() ? folder->layout : ModelLayout{};
    record.changing = false;
    record.authority = Authority::kLoadCall;
    record.problem.clear();
    record.wanted = std::move(wanted);
    record.on_demand = LoadsOnDemand(look);
    record.transition = look.rules.transition.value_or(options_.version_transition);
    record.labels = look.rules.labels;
    // A repeated call wants it tried again.
    for (auto& [version, entry] : record.versions) entry.failed = false;
    for (const auto& [version, target] : record.wanted) record.versions[version].demanded = true;
    record.load_waiters.push_back(std::move(done));
    Advance(record, deferred);
    Conclude(deferred);
  }
  source_lock.unlock();
  for (auto& task : deferred) task();
  return base::OkStatus();
}

void Manager::Core::Unload(const core::UnloadCall& call, core::ControlCallback done) {
  Deferred deferred;
  base::Status status;
  {
    base::MutexLock lock(mutex_);
    status = CheckRepository(call.repository);
    ModelRecord* const found = records_.Change(call.model);
    // Triton: to unload what is not there succeeds.
    if (status.ok() && found != nullptr && !stopping_) {
      ModelRecord& record = *found;
      record.authority = Authority::kUnloadCall;
      record.wanted.clear();
      record.problem = "unloaded";
      Advance(record, deferred);
      Conclude(deferred);
    }
  }
  for (auto& task : deferred) task();
  done(std::move(status));
}

base::Result<std::vector<core::IndexEntry>> Manager::Core::Index(const std::string& repository, bool ready_only) const {
  base::MutexLock lock(mutex_);
  INFERD_RETURN_IF_ERROR(CheckRepository(repository));
  std::vector<core::IndexEntry> entries;
  for (const auto& [name, record] : records_.all()) {
    if (repository.empty() || record.repository == repository) record.AppendIndex(ready_only, entries);
  }
  return entries;
}

}  // namespace inferd::repository

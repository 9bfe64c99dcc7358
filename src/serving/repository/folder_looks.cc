#include "serving/repository/folder_looks.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace inferd::repository {

namespace {

base::Status UnknownModel(std::string_view option, const std::string& name, const std::set<std::string>& models) {
  constexpr size_t kShownMax = 10;
  std::string known;
  size_t shown = 0;
  for (const std::string& model : models) {
    if (shown++ == kShownMax) break;
    known += (known.empty() ? "" : ", ") + model;
  }
  if (models.size() > kShownMax) known += ", ...";
  return base::NotFound(std::string(option) + ": model not found in any model repository: '" + name +
                        "' (there are: " + (known.empty() ? "none" : known) + ")");
}

// Triton's server takes every folder for a version, except the folders that it knows.
void WarnOfOtherFolders(const ModelLook& look, base::Logger& logger) {
  for (const storage::FileStat& file : look.layout.shared.files) {
    const bool known = file.path == "configs" || file.path == "warmup" || file.path == "initial_state";
    if (!file.is_folder || known || file.path.find('/') != std::string::npos) continue;
    logger.Warning("ignore version directory '" + file.path + "' which fails to convert to integral number",
                   {{"model", look.name}});
  }
}

}  // namespace

bool FolderLooks::IsNeeded(const std::string& model) const {
  return options_.needs_models && std::ranges::any_of(options_.repositories, [&](const RepositoryPath& path) {
           return !path.model.empty() && path.model == model;
         });
}

base::Status FolderLooks::CheckStartup(const Source& source) const {
  INFERD_ASSIGN_OR_RETURN(const std::set<std::string> models, source.ModelNames());
  if (ByName()) {
    for (const std::string& name : options_.startup_models) {
      if (name != "*" && !models.contains(name)) return UnknownModel("--load-model", name, models);
    }
  }
  if (ByName() || options_.readiness != config::ReadinessMode::kNamed) return base::OkStatus();
  for (const std::string& name : options_.ready_models) {
    if (models.contains(name)) continue;
    return UnknownModel("--readiness", name, models)
        .WithContext("--readiness takes tried, all, any, server or names of models");
  }
  return base::OkStatus();
}

void FolderLooks::Look(bool initial) {
  std::vector<base::Status> problems;
  Deferred deferred;
  base::MutexLock source_lock(source_.mutex);
  std::optional<Listing> listing;
  std::vector<ModelLook> looks;
  if (ByName()) {
    listing = source_.source->List(&problems);
    if (listing.has_value()) looks = LookAtNames(*listing, initial);
  } else {
    looks = source_.source->Look(initial, &problems);
  }
  LogProblems(problems);
  if (ByName() && !initial && !listing.has_value()) return;  // nothing new: do not visit thousands of models
  if (StartHasEnded(looks, initial)) return;
  try {
    Apply(listing, looks, initial, deferred);
  } catch (...) {
    source_.source->TellAgain();
    throw;
  }
  source_lock.unlock();
  RunAll(deferred);
}

bool FolderLooks::StartHasEnded(const std::vector<ModelLook>& looks, bool initial) const {
  if (!options_.bad_configuration_ends_startup) return false;
  std::string bad;
  for (const ModelLook& look : looks) {
    if (!initial || !bad.empty()) break;
    const base::Status loadable = wants_.CheckLoadable(look);
    if (!loadable.ok()) bad = "model '" + look.name + "': " + loadable.message();
  }
  const base::MutexLock lock(state_.mutex);
  if (!bad.empty()) {
    state_.bad_configuration = std::move(bad);
    state_.started = true;
    state_.changed.NotifyAll();
  }
  return !state_.bad_configuration.empty();
}

void FolderLooks::Apply(const std::optional<Listing>& listing, const std::vector<ModelLook>& looks, bool initial,
                        Deferred& deferred) {
  const base::MutexLock lock(state_.mutex);
  if (state_.stopping) return;
  if (ByName() && initial) ExpectStartupModels();
  if (listing.has_value()) ApplyListing(*listing, initial, deferred);
  for (const ModelLook& look : looks) ApplyLook(look, initial, deferred);
  if (!ByName()) RetryFailed(deferred);
  state_.started = true;
  stepper_.Conclude(state_, deferred);
  state_.changed.NotifyAll();
}

void FolderLooks::LogProblems(const std::vector<base::Status>& problems) {
  std::set<std::string> standing;
  for (const base::Status& problem : problems) {
    const std::string text = problem.ToString();
    standing.insert(text);
    if (repository_problems_.Note(text, text, clock_.NowNs())) logger_.Warning(text);
  }
  repository_problems_.ForgetOthers(standing);
}

void FolderLooks::ExpectStartupModels() {
  for (const std::string& name : options_.startup_models) {
    if (name == "*") continue;
    state_.records.Expect(name);
    ModelRecord& record = state_.records.Add(name);
    record.problem = "no repository has it";
    record.polled = !options_.triton_exact;  // a look that finds it decides anew
  }
}

ModelLook FolderLooks::LookAt(const std::string& model, const std::string& repository) {
  auto look = source_.source->LookAt(model, repository);
  if (look.has_value()) return *std::move(look);
  ModelLook unreadable;
  unreadable.name = model;
  unreadable.repository = repository;
  unreadable.problem = look.error();
  unreadable.changing = true;
  return unreadable;
}

std::vector<ModelLook> FolderLooks::LookAtNames(const Listing& listing, bool initial) {
  std::vector<ModelLook> looks;
  std::map<std::string_view, const Listing::Model*> others;  // loaded only if another model depends on them
  for (const Listing::Model& model : listing.came) {
    if (!model.problem.ok()) continue;
    if (wants_.FromFolder(model.name, initial)) {
      looks.push_back(LookAt(model.name, model.repository));
    } else if (initial) {
      others.emplace(model.name, &model);
    }
  }
  for (size_t next = 0; next < looks.size(); ++next) {
    const std::vector<config::Dependency> dependencies = looks[next].rules.dependencies;
    for (const config::Dependency& dependency : dependencies) {
      const auto other = others.extract(dependency.model);
      if (other.empty()) continue;
      looks.push_back(LookAt(other.mapped()->name, other.mapped()->repository));
      looks.back().along = true;
    }
  }
  return looks;
}

void FolderLooks::ApplyListing(const Listing& listing, bool initial, Deferred& deferred) {
  for (const Listing::Model& model : listing.came) {
    ModelRecord& record = state_.records.Add(model.name);
    record.on_disk = true;
    if (record.repository.empty()) record.repository = model.repository;
    if (initial && wants_.FromFolder(model.name, initial)) state_.records.Expect(model.name);
    if (model.problem.ok() || record.problem == ShownProblem(model.problem)) continue;
    logger_.Error(model.problem.message(), {{"model", model.name}});
    record.problem = ShownProblem(model.problem);
    record.polled = !options_.triton_exact;
  }
  for (const std::string& name : listing.gone) {
    ModelRecord* const record = state_.records.Change(name);
    if (record == nullptr || !record->on_disk) continue;
    if (record->authority == Authority::kFolder) state_.departed.Note(*record);
    record->on_disk = false;
    record->layout = {};
    stepper_.Advance(state_, *record, deferred);
    stepper_.ForgetIfGone(state_, name);
  }
}

void FolderLooks::RetryFailed(Deferred& deferred) {
  const int64_t wait_ns = options_.load_retry_ms * 1'000'000;
  state_.records.Settle();
  for (const std::string& name : state_.records.failed()) {
    if (!source_.source->IsAsTold(name)) continue;
    if (!state_.records.Find(name)->RetryDue(clock_.NowNs(), options_.load_retries, wait_ns)) continue;
    ModelRecord& record = *state_.records.Change(name);
    record.RetryFailed(clock_.NowNs(), options_.load_retries, wait_ns);
    stepper_.Advance(state_, record, deferred);
  }
}

// Triton's clients compare the whole text. The log names the repositories.
std::string FolderLooks::ShownProblem(const base::Status& problem) const {
  const bool twice = problem.message().starts_with(kInTwoRepositories);
  return options_.triton_exact && twice ? std::string(kInTwoRepositories) : problem.message();
}

bool FolderLooks::IsKeptOut(const ModelLook& look, bool initial) const {
  return !initial && !look.named && options_.control == config::ControlMode::kPoll && !options_.new_models &&
         state_.records.Find(look.name) == nullptr;
}

bool FolderLooks::Keeps(const ModelLook& look) const {
  return look.gone && look.problem.ok() && options_.control == config::ControlMode::kPoll && !options_.unload_removed;
}

void FolderLooks::ApplyLook(const ModelLook& look, bool initial, Deferred& deferred) {
  if (IsKeptOut(look, initial)) return;
  ModelRecord& record = state_.records.Add(look.name);
  if (Keeps(look)) {
    record.changing = false;
    return wants_.LogProblem(
        look.name,
        "the folder of model '" + look.name + "' has gone: what was loaded from it serves on (--unload-removed=false)",
        state_.problems);
  }
  record.changing = look.changing && look.problem.ok();
  if (record.repository.empty()) record.repository = look.repository;
  if (initial && wants_.FromFolder(look.name, initial)) state_.records.Expect(look.name);
  if (!look.problem.ok()) {
    wants_.LogProblem(look.name, look.problem.message(), state_.problems);
    record.problem = ShownProblem(look.problem);
    record.polled = !options_.triton_exact;
    record.on_disk = true;
    // kFailedPrecondition: the model is in two repositories.
    if (!options_.triton_exact || look.problem.code() != base::StatusCode::kFailedPrecondition) return;
    record.wanted.clear();
    stepper_.Advance(state_, record, deferred);
    return;
  }
  const bool stays = !options_.unload_removed && !initial;  // even while its folder is empty
  const bool is_there = look.named || look.layout != ModelLayout{} || stays;
  if (initial && !is_there && IsNeeded(look.name)) {
    record.problem = "there is no file of it that can be read";
    record.on_disk = true;
    return;
  }
  // While the folder is being written or removed, the model is remembered as it was.
  if (is_there && !look.changing) state_.departed.Forget(look.name);
  if (!is_there && !look.changing && record.authority == Authority::kFolder) state_.departed.Note(record);
  record.on_disk = is_there;
  if (!look.changing && look.layout != record.layout) {
    for (const std::string& warning : look.layout.warnings) logger_.Warning(warning, {{"model", look.name}});
    if (options_.triton_exact) WarnOfOtherFolders(look, logger_);
    record.layout = look.layout;
    record.repository = look.repository;
    // The versions that a call wanted stay wanted until the folder changes.
    if (options_.control == config::ControlMode::kPoll) record.authority = Authority::kFolder;
  }
  const bool polled = options_.control == config::ControlMode::kPoll && state_.records.initial().contains(look.name);
  if (record.authority == Authority::kFolder && (look.along || polled || wants_.FromFolder(look.name, initial))) {
    wants_.WantWhatIsThere(look, record, state_.problems);
    if (state_.records.initial().contains(look.name)) wants_.NotePolled(look, record);
    record.loaded_along = look.along;
  }
  record.RetryFailed(clock_.NowNs(), options_.load_retries, options_.load_retry_ms * 1'000'000);
  stepper_.Advance(state_, record, deferred);
  stepper_.ForgetIfGone(state_, look.name);
}

}  // namespace inferd::repository

#include "repository/manager_core.h"

#include <algorithm>
#include <chrono>

#include "repository/wanted_versions.h"

namespace inferd::repository {

Manager::Core::Core(ManagerOptions options, ManagerServices services)
    : options_(std::move(options)),
      services_(std::move(services)),
      load_metrics_(services_.metrics, options_.tensorflow_metrics),
      loader_(options_.completion, {.engines = services_.engines,
                                    .scheduler_factory = services_.scheduler_factory,
                                    .recorded_warmups = services_.recorded_warmups,
                                    .group_cores = services_.group_cores,
                                    .clock = services_.clock,
                                    .metrics = load_metrics_}),
      lazy_metrics_(services_.metrics, options_.lazy.budget),
      load_pool_("load", std::max<size_t>(options_.loader_threads, 1)) {}

Manager::Core::~Core() { Shutdown(); }

base::Status Manager::Core::Start() {
  INFERD_ASSIGN_OR_RETURN(auto source, Source::Create(options_.repositories, services_.clock, options_.settle_ms));
  if (options_.served_models.has_value()) source->Serve(*options_.served_models);
  {
    base::MutexLock lock(mutex_);
    repositories_ = source->repositories();
    ++busy_;
  }
  {
    base::MutexLock lock(source_mutex_);
    source_ = std::move(source);
  }
  poller_ = std::thread([this] { RunPoller(); });
  if (options_.lazy.enabled) demand_thread_ = std::thread([this] { RunDemands(); });
  return base::OkStatus();
}

void Manager::Core::RunPoller() {
  base::SetThreadName("poll");
  Look(true);
  base::MutexLock lock(mutex_);
  --busy_;
  changed_.NotifyAll();
  // In explicit mode the looks load nothing: they keep the index up to date.
  if (options_.control == config::ControlMode::kNone) return;
  while (!stopping_) {
    const bool changing = options_.control == config::ControlMode::kPoll &&
                          std::ranges::any_of(models_, [](const auto& entry) { return entry.second.changing; });
    const int64_t wait_ms =
        changing ? std::min(options_.settle_ms, options_.poll_interval_ms) : options_.poll_interval_ms;
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(wait_ms);
    while (!stopping_ && changed_.WaitUntil(mutex_, until) != std::cv_status::timeout) {
    }
    if (stopping_) return;
    lock.unlock();
    Look(false);
    lock.lock();
  }
}

bool Manager::Core::WantedFromFolder(const std::string& model, bool initial) const {
  switch (options_.control) {
    case config::ControlMode::kPoll: return true;
    case config::ControlMode::kNone: return initial;
    case config::ControlMode::kExplicit:
      return initial && std::ranges::any_of(options_.startup_models,
                                            [&model](const std::string& name) { return name == "*" || name == model; });
  }
  return false;
}

void Manager::Core::LogProblems(const std::vector<base::Status>& problems) const {
  for (const base::Status& problem : problems) services_.logger.Warning(problem.ToString());
}

void Manager::Core::Look(bool initial) {
  const bool by_name = options_.control == config::ControlMode::kExplicit;
  std::vector<base::Status> problems;
  Deferred deferred;
  base::MutexLock source_lock(source_mutex_);
  std::optional<Listing> listing;
  std::vector<ModelLook> looks;
  if (by_name) {
    listing = source_->List(&problems);
    if (listing.has_value()) looks = LookAtNames(*listing, initial);
  } else {
    looks = source_->Look(initial, &problems);
  }
  LogProblems(problems);
  if (by_name && !initial && !listing.has_value()) return;  // thousands of models, and nothing new
  {
    base::MutexLock lock(mutex_);
    if (stopping_) return;
    if (by_name && initial) ExpectStartupModels();
    if (listing.has_value()) ApplyListing(*listing, initial, deferred);
    for (const ModelLook& look : looks) ApplyLook(look, initial, deferred);
    started_ = true;
    UpdateReady();
    Conclude(deferred);
    changed_.NotifyAll();
  }
  source_lock.unlock();
  for (auto& task : deferred) task();
}

void Manager::Core::ApplyLook(const ModelLook& look, bool initial, Deferred& deferred) {
  ModelRecord& record = models_[look.name];
  record.name = look.name;
  record.changing = look.changing;
  if (record.repository.empty()) record.repository = look.repository;
  if (initial && WantedFromFolder(look.name, initial)) initial_models_.insert(look.name);
  if (!look.problem.ok()) {
    if (record.problem != look.problem.message())
      services_.logger.Error(look.problem.message(), {{"model", look.name}});
    record.problem = look.problem.message();
    record.on_disk = true;
    return;
  }
  record.on_disk = look.named || look.layout != ModelLayout{};
  if (!look.changing && look.layout != record.layout) {
    for (const std::string& warning : look.layout.warnings) services_.logger.Warning(warning, {{"model", look.name}});
    record.layout = look.layout;
    record.repository = look.repository;
    // What a call wanted holds until the folder changes.
    if (options_.control == config::ControlMode::kPoll) record.authority = Authority::kFolder;
  }
  if (record.authority == Authority::kFolder && WantedFromFolder(look.name, initial)) {
    WantWhatIsThere(look, record);
  }
  RetryFailed(record);
  Advance(record, deferred);
  ForgetIfGone(look.name);
}

void Manager::Core::WantWhatIsThere(const ModelLook& look, ModelRecord& record) {
  record.wanted = SelectWanted(look, {}, record.wanted);
  record.on_demand = LoadsOnDemand(look);
  record.transition = look.rules.transition.value_or(options_.version_transition);
  if (!look.changing) record.labels = look.rules.labels;
  record.problem.clear();
  if (!record.wanted.empty() || look.changing) return;
  record.problem = look.named
                       ? "no versions of servable " + look.name + " found under base path " + look.model_dir.string()
                       : "at least one version must be available under the version policy of model '" + look.name + "'";
}

bool Manager::Core::LoadsOnDemand(const ModelLook& look) const {
  const LazyLoading& lazy = options_.lazy;
  return lazy.enabled && !look.rules.pinned &&
         std::ranges::find(lazy.pinned_models, look.name) == lazy.pinned_models.end();
}

void Manager::Core::ForgetIfGone(const std::string& name) {
  if (!models_.at(name).Forgettable()) return;
  load_metrics_.ForgetModel(name);
  initial_models_.erase(name);
  models_.erase(name);
}

void Manager::Core::Advance(ModelRecord& record, Deferred& deferred) {
  for (const auto& [version, wanted] : record.wanted) record.versions.try_emplace(version);
  for (auto& [version, entry] : record.versions) {
    if (entry.serving != nullptr || !record.wanted.contains(version)) entry.demanded = false;
    entry.waits_for_room &= record.wanted.contains(version);
  }
  const bool changing = record.changing && record.authority == Authority::kFolder;
  Follow(PlanModel(record.Views(), changing, record.transition), record, deferred);
  NoteNotLoaded(record);
  AnswerWaiters(record, deferred);
  record.Prune();
  if (!record.Loading() && !record.load_waiters.empty()) {
    for (auto& waiter : record.load_waiters) {
      deferred.push_back(
          [done = std::move(waiter), outcome = record.LoadOutcome()]() mutable { done(std::move(outcome)); });
    }
    record.load_waiters.clear();
  }
  UpdateReady();
}

void Manager::Core::NoteNotLoaded(ModelRecord& record) const {
  for (auto& [version, entry] : record.versions) {
    const bool quiet = entry.serving == nullptr && !entry.Pending() && entry.alive == 0 && !entry.failed;
    if (quiet && record.LoadsOnDemand(version)) entry.reason = kNotLoaded;
  }
}

void Manager::Core::Conclude(Deferred& deferred) {
  AdmitLoads(deferred);
  MeasureResidents();
  Publish();
}

void Manager::Core::Publish() {
  core::CatalogSnapshot::Models models;
  for (const auto& [name, record] : models_) models.emplace(name, record.Snapshot());
  services_.snapshots.Publish(std::make_shared<const core::CatalogSnapshot>(std::move(models)));
}

const ModelRecord* Manager::Core::FindRecord(const std::string& name) const {
  const auto it = models_.find(name);
  return it == models_.end() ? nullptr : &it->second;
}

bool Manager::Core::InitialSetReady() const {
  if (options_.readiness == config::ReadinessMode::kServer) return true;
  if (options_.readiness == config::ReadinessMode::kNamed) {
    for (const std::string& name : options_.ready_models) {
      const ModelRecord* record = FindRecord(name);
      if (record == nullptr || !record->Available()) return false;
    }
    return true;
  }
  bool any = initial_models_.empty();
  bool all = true;
  for (const std::string& name : initial_models_) {
    const ModelRecord* record = FindRecord(name);
    any |= record != nullptr && record->Available();
    all &= record != nullptr && record->Up();
  }
  return options_.readiness == config::ReadinessMode::kAny ? any : all;
}

void Manager::Core::UpdateReady() {
  if (!ready_seen_ && started_) ready_seen_ = InitialSetReady();
}

bool Manager::Core::Ready() const {
  if (draining_.load(std::memory_order_relaxed)) return false;
  base::MutexLock lock(mutex_);
  return ready_seen_ || (!stopping_ && options_.readiness == config::ReadinessMode::kServer);
}

std::string Manager::Core::StartupFailure() const {
  base::MutexLock lock(mutex_);
  if (!started_) return {};
  for (const std::string& name : initial_models_) {
    const auto it = models_.find(name);
    std::string reason = it == models_.end() ? "not found in any repository" : it->second.Failure();
    if (!reason.empty()) return "model '" + name + "': " + reason;
  }
  return {};
}

bool Manager::Core::StartupTried() const {
  base::MutexLock lock(mutex_);
  if (!started_) return false;
  for (const std::string& name : initial_models_) {
    const ModelRecord* record = FindRecord(name);
    if (record != nullptr && !record->Up() && record->Failure().empty()) return false;
  }
  return true;
}

void Manager::Core::WaitIdle() {
  base::MutexLock lock(mutex_);
  const auto ending = [](const auto& entry) {
    return std::ranges::any_of(entry.second.versions, [](const auto& version) {
      return version.second.alive > (version.second.serving == nullptr ? 0 : 1);
    });
  };
  while (busy_ > 0 || std::ranges::any_of(models_, ending)) changed_.Wait(mutex_);
}

void Manager::Core::Shutdown() {
  Deferred deferred;
  {
    base::MutexLock lock(mutex_);
    stopping_ = true;
    draining_ = true;
    changed_.NotifyAll();
    for (auto& [name, record] : models_) {
      record.wanted.clear();
      record.problem = "the server is shutting down";
      for (auto& [version, entry] : record.versions) {
        if (entry.serving != nullptr) EndServing(record, entry, deferred);
        entry.waits_for_room = false;
        for (LoadWaiter& waiter : entry.waiters) {
          Refuse(std::move(waiter.demand), base::Unavailable(record.problem), deferred);
        }
        entry.waiters.clear();
      }
      for (auto& waiter : record.load_waiters) {
        deferred.push_back(
            [done = std::move(waiter)]() mutable { done(base::Unavailable("the server is shutting down")); });
      }
      record.load_waiters.clear();
    }
    Publish();
  }
  for (auto& task : deferred) task();
  deferred.clear();
  if (poller_.joinable()) poller_.join();
  CloseDemands();
  WaitIdle();
}

}  // namespace inferd::repository

#include "repository/manager_core.h"

#include <algorithm>
#include <chrono>
#include <system_error>

#include "base/memory_shortage.h"
#include "repository/records/wanted_versions.h"
#include "repository/tree/folder_advice.h"
#include "repository/tree/no_versions.h"

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
      startup_models_(options_.startup_models.begin(), options_.startup_models.end()),
      pinned_models_(options_.lazy.pinned_models.begin(), options_.lazy.pinned_models.end()),
      records_(options_.ready_models),
      version_metrics_(services_.metrics),
      load_pool_("load", std::max<size_t>(options_.loader_threads, 1)) {}

Manager::Core::~Core() { Shutdown(); }

base::Status Manager::Core::Start() {
  INFERD_ASSIGN_OR_RETURN(auto source, Source::Create(options_.repositories, services_.clock, options_.settle_ms));
  if (options_.served_models.has_value()) source->Serve(*options_.served_models);
  if (options_.checks_startup) INFERD_RETURN_IF_ERROR(CheckStartup(*source));
  {
    base::MutexLock lock(mutex_);
    repositories_ = source->repositories();
    ++busy_;
  }
  {
    base::MutexLock lock(source_mutex_);
    source_ = std::move(source);
  }
  if (const size_t left = storage::RemoveAbandonedStaging(options_.staging_dir); left > 0) {
    services_.logger.Info("removed files of load calls that a server left when it ended", {{"folders", left}});
  }
  try {
    // First, as the poller counts as busy until it has looked.
    if (options_.lazy.enabled) demand_thread_ = std::thread([this] { RunDemands(); });
    poller_ = std::thread([this] { RunPoller(); });
  } catch (const std::system_error& error) {
    const base::MutexLock lock(mutex_);
    --busy_;
    return base::ResourceExhausted("no thread for the model repository: " + std::string(error.what()));
  }
  return base::OkStatus();
}

void Manager::Core::RunPoller() {
  base::SetThreadName("poll");
  const auto look = [this](bool initial) {
    if (base::RunUnlessOutOfMemory([&] { Look(initial); })) return;
    services_.logger.Error("no memory to look at the model repositories");
  };
  look(true);
  base::MutexLock lock(mutex_);
  --busy_;
  changed_.NotifyAll();
  // In explicit mode the looks load nothing: they keep the index up to date.
  if (options_.control == config::ControlMode::kNone) return;
  while (!stopping_) {
    const bool changing = options_.control == config::ControlMode::kPoll && records_.totals().changing > 0;
    const int64_t wait_ms =
        changing ? std::min(options_.settle_ms, options_.poll_interval_ms) : options_.poll_interval_ms;
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(wait_ms);
    while (!stopping_ && changed_.WaitUntil(mutex_, until) != std::cv_status::timeout) {
    }
    if (stopping_) return;
    lock.unlock();
    look(false);
    lock.lock();
  }
}

bool Manager::Core::WantedFromFolder(const std::string& model, bool initial) const {
  switch (options_.control) {
    case config::ControlMode::kPoll: return true;
    case config::ControlMode::kNone: return initial;
    case config::ControlMode::kExplicit:
      return initial && (startup_models_.contains("*") || startup_models_.contains(model));
  }
  return false;
}

void Manager::Core::LogProblems(const std::vector<base::Status>& problems) {
  std::set<std::string> standing;
  for (const base::Status& problem : problems) {
    const std::string text = problem.ToString();
    standing.insert(text);
    if (repository_problems_.Note(text, text, services_.clock.NowNs())) services_.logger.Warning(text);
  }
  repository_problems_.ForgetOthers(standing);
}

void Manager::Core::LogProblem(const std::string& model, const std::string& problem) {
  if (model_problems_.Note(model, problem, services_.clock.NowNs())) {
    services_.logger.Warning(problem, {{"model", model}});
  }
}

void Manager::Core::WarnOfMissing(const ModelLook& look) {
  const std::string missing = DescribeMissingVersions(look);
  const std::string key = look.name + "/versions";
  if (missing.empty()) {
    model_problems_.Forget(key);
  } else if (model_problems_.Note(key, missing, services_.clock.NowNs())) {
    services_.logger.Warning(missing, {{"model", look.name}});
  }
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
    Conclude(deferred);
    changed_.NotifyAll();
  }
  source_lock.unlock();
  for (auto& task : deferred) task();
}

void Manager::Core::ApplyLook(const ModelLook& look, bool initial, Deferred& deferred) {
  ModelRecord& record = records_.Add(look.name);
  record.changing = look.changing && look.problem.ok();
  if (record.repository.empty()) record.repository = look.repository;
  if (initial && WantedFromFolder(look.name, initial)) records_.Expect(look.name);
  if (!look.problem.ok()) {
    LogProblem(look.name, look.problem.message());
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
  if (look.changing) return;
  if (look.named) WarnOfMissing(look);
  if (!record.wanted.empty()) {
    if (model_problems_.Forget(look.name)) {
      services_.logger.Info("model '" + look.name + "' is found again", {{"model", look.name}});
    }
    return;
  }
  record.problem = WhyNoVersions(look);
  if (look.named) LogProblem(look.name, record.problem);
}

bool Manager::Core::LoadsOnDemand(const ModelLook& look) const {
  const LazyLoading& lazy = options_.lazy;
  return lazy.enabled && !look.rules.pinned && !pinned_models_.contains(look.name);
}

void Manager::Core::ForgetIfGone(const std::string& name) {
  if (!records_.Find(name)->Forgettable()) return;
  load_metrics_.ForgetModel(name);
  model_problems_.Forget(name);
  model_problems_.Forget(name + "/versions");
  records_.Forget(name);
  records_.Erase(name);
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
}

void Manager::Core::NoteNotLoaded(ModelRecord& record) const {
  for (auto& [version, entry] : record.versions) {
    const bool quiet = entry.serving == nullptr && !entry.Pending() && entry.alive == 0 && !entry.failed;
    if (quiet && record.LoadsOnDemand(version)) entry.reason = kNotLoaded;
  }
}

void Manager::Core::Conclude(Deferred& deferred) {
  AdmitLoads(deferred);
  Publish();
  MeasureResidents();
  UpdateReady();
}

void Manager::Core::Publish() {
  records_.Settle();
  bool differs = false;
  for (const std::string& name : records_.TakeChanged()) {
    const core::CatalogSnapshot::Model* const before = published_.Find(name);
    const ModelRecord* const record = records_.Find(name);
    if (record == nullptr) {
      version_metrics_.Forget(name);
      if (before == nullptr) continue;
      published_ = published_.Without(name);
    } else {
      version_metrics_.Update(*record);
      core::CatalogSnapshot::Model now = record->Snapshot();
      if (before != nullptr && *before == now) continue;
      published_ = published_.With(name, std::move(now));
    }
    differs = true;
  }
  if (differs) services_.snapshots.Publish(std::make_shared<const core::CatalogSnapshot>(published_));
}

bool Manager::Core::InitialSetReady() const {
  const RecordTotals& totals = records_.totals();
  const auto initial = static_cast<int64_t>(records_.initial().size());
  switch (options_.readiness) {
    case config::ReadinessMode::kServer: return true;
    case config::ReadinessMode::kNamed: return totals.named_available == records_.named();
    case config::ReadinessMode::kAny: return initial == 0 || totals.initial_available > 0;
    case config::ReadinessMode::kTried:
      return totals.initial_tried == initial && (initial == 0 || totals.initial_available > 0);
    case config::ReadinessMode::kAll: return totals.initial_up == initial;
  }
  std::unreachable();
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
  if (!started_ || records_.failures().empty()) return {};
  const auto& [name, reason] = *records_.failures().begin();
  return "model '" + name + "': " + reason;
}

bool Manager::Core::StartupTried() const {
  base::MutexLock lock(mutex_);
  return started_ && records_.totals().initial_tried == static_cast<int64_t>(records_.initial().size());
}

void Manager::Core::WaitIdle() {
  base::MutexLock lock(mutex_);
  while (busy_ > 0 || records_.totals().ending > 0) changed_.Wait(mutex_);
}

void Manager::Core::Shutdown() {
  Deferred deferred;
  {
    base::MutexLock lock(mutex_);
    stopping_ = true;
    draining_ = true;
    changed_.NotifyAll();
    for (const auto& [name, known] : records_.all()) {
      ModelRecord& record = *records_.Change(name);
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

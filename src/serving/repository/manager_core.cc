#include "serving/repository/manager_core.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <system_error>
#include <utility>

#include "base/memory_shortage.h"
#include "config/model/model_config_document.h"

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
                                    .metrics = load_metrics_,
                                    .logger = &services_.logger}),
      lazy_metrics_(services_.metrics, options_.lazy.budget),
      state_(options_, services_, lazy_metrics_),
      wants_(options_, services_, loader_),
      runner_(loader_, load_metrics_, services_.clock, services_.logger, load_pool_, retire_pool_, *this,
              options_.load_repeats, options_.triton_exact),
      stepper_(services_, load_metrics_, lazy_metrics_, runner_, options_.triton_exact,
               options_.sequence_grace_ms * 1'000'000),
      looks_(options_, services_, state_, source_, stepper_, wants_),
      calls_(options_, loader_, state_, source_, stepper_, wants_, services_.logger, load_pool_),
      served_models_(options_, state_, source_, stepper_, wants_, calls_),
      demand_queue_([this](std::vector<core::LoadDemand> demands) { return ServeDemands(std::move(demands)); }),
      load_pool_("load", std::max<size_t>(options_.loader_threads, 1)) {}

Manager::Core::~Core() { Shutdown(); }

base::Status Manager::Core::Start() {
  INFERD_ASSIGN_OR_RETURN(auto source, Source::Create(options_.repositories, services_.clock, options_.settle_ms,
                                                      options_.model_config_name));
  if (options_.served_models.has_value()) source->Serve(*options_.served_models);
  if (options_.checks_startup) {
    INFERD_RETURN_IF_ERROR(looks_.CheckStartup(*source));
  } else if (const auto names = source->ModelNames(); options_.triton_exact && !names.has_value()) {
    services_.logger.Error("the server is not live: " + names.error().message());
    startup_ = Startup::kFailed;
  }
  {
    base::MutexLock lock(state_.mutex);
    state_.repositories = source->repositories();
    ++state_.busy;
  }
  {
    base::MutexLock lock(source_.mutex);
    source_.source = std::move(source);
  }
  if (const size_t left = storage::RemoveAbandonedStaging(options_.staging_dir); left > 0) {
    services_.logger.Info("removed files of load calls that a server left when it ended", {{"folders", left}});
  }
  try {
    // Start the queue before the poller: the poller counts as busy until its first look has ended.
    if (options_.lazy.enabled) demand_queue_.Start();
    poller_ = std::thread([this] { RunPoller(); });
  } catch (const std::system_error& error) {
    const base::MutexLock lock(state_.mutex);
    --state_.busy;
    return base::ResourceExhausted("no thread for the model repository: " + std::string(error.what()));
  }
  return base::OkStatus();
}

void Manager::Core::RunPoller() {
  base::SetThreadName("poll");
  LookUnlessOutOfMemory(/*initial=*/true);
  LoadDone();
  // In explicit mode, the looks load nothing. They keep the index up to date.
  if (options_.control == config::ControlMode::kNone) return;
  while (WaitForNextLook()) LookUnlessOutOfMemory(/*initial=*/false);
}

void Manager::Core::LookUnlessOutOfMemory(bool initial) {
  if (base::RunUnlessOutOfMemory([&] { looks_.Look(initial); })) return;
  services_.logger.Error("no memory to look at the model repositories");
}

// Returns false if the server is shutting down.
bool Manager::Core::WaitForNextLook() {
  base::MutexLock lock(state_.mutex);
  const bool changing = options_.control == config::ControlMode::kPoll && state_.records.totals().changing > 0;
  const int64_t wait_ms =
      changing ? std::min(options_.settle_ms, options_.poll_interval_ms) : options_.poll_interval_ms;
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(wait_ms);
  while (!state_.stopping && state_.changed.WaitUntil(state_.mutex, until) != std::cv_status::timeout) {
  }
  return !state_.stopping;
}

bool Manager::Core::ServeDemands(std::vector<core::LoadDemand> demands) {
  Deferred deferred;
  bool some_wait = false;
  {
    const base::MutexLock lock(state_.mutex);
    for (core::LoadDemand& demand : demands) {
      ModelRecord* const demanded = state_.demands.Take(std::move(demand), state_.records, deferred);
      if (demanded == nullptr) continue;
      stepper_.RetryNeeded(state_, demanded->name);
      stepper_.Advance(state_, *demanded, deferred);
    }
    state_.demands.Expire(state_.records, deferred);
    // While demands wait, this runs every 50 ms. It is no step if no demand came and none expired.
    if (!demands.empty() || !deferred.empty()) stepper_.Conclude(state_, deferred);
    some_wait = state_.records.totals().waiting > 0;
  }
  RunAll(deferred);
  return some_wait;
}

bool Manager::Core::Stopping() const {
  const base::MutexLock lock(state_.mutex);
  return state_.stopping;
}

void Manager::Core::LoadEnded(const core::ModelId& id, base::Result<std::shared_ptr<const core::ModelVersion>> loaded) {
  Deferred deferred;
  {
    const base::MutexLock lock(state_.mutex);
    stepper_.LoadEnded(state_, id, std::move(loaded), deferred);
    state_.changed.NotifyAll();
  }
  RunAll(deferred);
}

void Manager::Core::LoadGone(const LoadMetrics::Version& load) {
  Deferred deferred;
  {
    const base::MutexLock lock(state_.mutex);
    stepper_.LoadGone(state_, load, deferred);
    state_.changed.NotifyAll();
  }
  RunAll(deferred);
}

void Manager::Core::LoadDone() {
  const base::MutexLock lock(state_.mutex);
  --state_.busy;
  state_.changed.NotifyAll();
}

bool Manager::Core::Ready() const {
  if (draining_.load(std::memory_order_relaxed) || HasFailed()) return false;
  const base::MutexLock lock(state_.mutex);
  return state_.readiness.seen() || (!state_.stopping && state_.readiness.AsksNothing());
}

std::string Manager::Core::StartupFailure() const {
  const base::MutexLock lock(state_.mutex);
  if (!state_.started || state_.records.failures().empty()) return {};
  const auto& [name, reason] = *state_.records.failures().begin();
  return "model '" + name + "': " + reason;
}

std::string Manager::Core::BadConfiguration() const {
  std::vector<LoadJob> failed;
  {
    const base::MutexLock lock(state_.mutex);
    if (!state_.bad_configuration.empty()) return state_.bad_configuration;
    for (const auto& [name, reason] : state_.records.failures()) {
      const ModelRecord* const record = state_.records.Find(name);
      if (record != nullptr && !record->wanted.empty()) failed.push_back(record->wanted.rbegin()->second.job);
    }
  }
  for (const LoadJob& job : failed) {
    const auto resolved = loader_.Resolve(job);
    if (!resolved.has_value()) return "model '" + job.id.name + "': " + resolved.error().message();
  }
  return {};
}

bool Manager::Core::StartupTried() const {
  const base::MutexLock lock(state_.mutex);
  return state_.started &&
         state_.records.totals().initial_tried == static_cast<int64_t>(state_.records.initial().size());
}

bool Manager::Core::StartupFailed() const {
  if (!options_.bad_configuration_fails_startup) return false;
  if (startup_.load(std::memory_order_relaxed) == Startup::kOpen && StartupTried()) {
    Startup open = Startup::kOpen;
    startup_.compare_exchange_strong(open, BadConfiguration().empty() ? Startup::kPassed : Startup::kFailed);
  }
  return HasFailed();
}

std::vector<core::DepartedModel> Manager::Core::Departed(std::string_view model) const {
  const base::MutexLock lock(state_.mutex);
  return state_.departed.List(model);
}

core::DepartedModel Manager::Core::DepartedVersions(std::string_view model) const {
  const base::MutexLock lock(state_.mutex);
  return state_.departed.Versions(model);
}

base::Result<std::vector<core::IndexEntry>> Manager::Core::Index(const std::string& repository, bool ready_only) const {
  const base::MutexLock lock(state_.mutex);
  INFERD_RETURN_IF_ERROR(state_.CheckRepository(repository));
  std::vector<core::IndexEntry> entries;
  for (const auto& [name, record] : state_.records.all()) {
    if (repository.empty() || record.repository == repository) record.AppendIndex(ready_only, entries);
  }
  return entries;
}

base::Result<std::string> Manager::Core::WrittenConfigJson(std::string_view model, const base::Status& none) const {
  std::optional<LoadJob> job;
  {
    const base::MutexLock lock(state_.mutex);
    const ModelRecord* const record = state_.records.Find(std::string(model));
    if (record != nullptr) job = record->Described();
  }
  if (!job.has_value()) return std::unexpected(none);
  INFERD_ASSIGN_OR_RETURN(const config::ModelConfig config, loader_.Resolve(*job));
  return config.document->ToJson();
}

void Manager::Core::WaitIdle() {
  const base::MutexLock lock(state_.mutex);
  while (state_.busy > 0 || state_.records.totals().ending > 0) state_.changed.Wait(state_.mutex);
}

uint64_t Manager::Core::RefusedTransitions() const {
  const base::MutexLock lock(state_.mutex);
  return state_.records.refused();
}

uint64_t Manager::Core::RecordsTouched() const {
  const base::MutexLock lock(state_.mutex);
  return state_.records.settled();
}

size_t Manager::Core::Shutdown(std::optional<std::chrono::steady_clock::time_point> until) {
  Deferred deferred;
  {
    const base::MutexLock lock(state_.mutex);
    state_.stopping = true;
    draining_ = true;
    state_.changed.NotifyAll();
    stepper_.EndAll(state_, deferred);
  }
  RunAll(deferred);
  deferred.clear();
  if (until.has_value()) {
    const base::MutexLock lock(state_.mutex);
    const RecordTotals& totals = state_.records.totals();
    std::cv_status waited = std::cv_status::no_timeout;
    while ((state_.busy > 0 || totals.ending > 0) && waited == std::cv_status::no_timeout) {
      waited = state_.changed.WaitUntil(state_.mutex, *until);
    }
    const bool are_loads = state_.busy == totals.loading && totals.resident_versions == totals.loading;
    if (waited == std::cv_status::timeout) return are_loads ? static_cast<size_t>(totals.loading) : 0;
  }
  if (poller_.joinable()) poller_.join();
  demand_queue_.Close();
  WaitIdle();
  return 0;
}

}  // namespace inferd::repository

#include <algorithm>
#include <chrono>

#include "repository/manager_core.h"

// Requests that wait for versions to be loaded. Loops hand them over without waiting for the records' lock; a thread of
// its own takes them in, and lets those go that do not wait any more.

namespace inferd::repository {

namespace {

// How long a request that was cancelled, or whose time is up, may stay among those that wait.
constexpr auto kTick = std::chrono::milliseconds(50);
constexpr int64_t kRetryAfterMs = 1000;
constexpr int64_t kNsPerMs = 1'000'000;

std::string Described(const std::string& model, int64_t version) {
  return "model '" + model + "' version " + std::to_string(version);
}

base::Status ShuttingDown() { return base::Unavailable("the server is shutting down"); }

}  // namespace

void Manager::Core::Demand(core::LoadDemand demand) {
  {
    const base::MutexLock lock(demand_mutex_);
    if (!demands_closed_) {
      demands_.push_back(std::move(demand));
      demand_arrived_.NotifyAll();
      return;
    }
  }
  demand.done({.status = ShuttingDown(), .model = nullptr, .retry_after_ms = 0});
}

void Manager::Core::RunDemands() {
  base::SetThreadName("demand");
  bool some_wait = false;
  while (true) {
    std::vector<core::LoadDemand> arrived;
    {
      const base::MutexLock lock(demand_mutex_);
      const auto until = std::chrono::steady_clock::now() + kTick;
      while (demands_.empty() && !demands_closed_) {
        if (!some_wait) {
          demand_arrived_.Wait(demand_mutex_);
        } else if (demand_arrived_.WaitUntil(demand_mutex_, until) == std::cv_status::timeout) {
          break;
        }
      }
      if (demands_.empty() && demands_closed_) return;
      arrived.swap(demands_);
    }
    some_wait = ServeDemands(std::move(arrived));
  }
}

void Manager::Core::CloseDemands() {
  {
    const base::MutexLock lock(demand_mutex_);
    demands_closed_ = true;
    demand_arrived_.NotifyAll();
  }
  if (demand_thread_.joinable()) demand_thread_.join();
}

bool Manager::Core::ServeDemands(std::vector<core::LoadDemand> demands) {
  Deferred deferred;
  bool some_wait = false;
  {
    const base::MutexLock lock(mutex_);
    for (core::LoadDemand& demand : demands) TakeDemand(std::move(demand), deferred);
    ExpireWaiters(deferred);
    Conclude(deferred);
    some_wait = records_.totals().waiting > 0;
  }
  for (auto& task : deferred) task();
  return some_wait;
}

void Manager::Core::Answer(core::LoadDemand&& demand, core::LoadOutcome outcome, Deferred& deferred) {
  deferred.push_back(
      [done = std::move(demand.done), outcome = std::move(outcome)]() mutable { done(std::move(outcome)); });
}

void Manager::Core::Refuse(core::LoadDemand&& demand, base::Status status, Deferred& deferred) {
  const bool again = status.code() == base::StatusCode::kUnavailable && !stopping_;
  Answer(std::move(demand),
         {.status = std::move(status), .model = nullptr, .retry_after_ms = again ? kRetryAfterMs : 0}, deferred);
}

void Manager::Core::TakeDemand(core::LoadDemand demand, Deferred& deferred) {
  if (stopping_) return Refuse(std::move(demand), ShuttingDown(), deferred);
  auto found = services_.snapshots.Current()->Find(demand.model, demand.version);
  if (found.has_value()) {
    Answer(std::move(demand), {.status = {}, .model = *std::move(found), .retry_after_ms = 0}, deferred);
    return;
  }
  const int64_t now_ns = services_.clock.NowNs();
  ModelRecord* const known = records_.Change(demand.model);
  const int64_t* meant = known == nullptr ? nullptr : known->MeantOnDemand(demand.version, now_ns);
  if (meant == nullptr) return Refuse(std::move(demand), found.error(), deferred);
  ModelRecord& record = *known;
  VersionRecord& entry = record.versions[*meant];
  if (entry.serving != nullptr) {
    Answer(std::move(demand), {.status = {}, .model = entry.serving, .retry_after_ms = 0}, deferred);
    return;
  }
  if (entry.failed && now_ns < entry.RetryNs()) {
    const int64_t wait_ms = (entry.RetryNs() - now_ns + kNsPerMs - 1) / kNsPerMs;
    const auto status =
        base::Unavailable(Described(record.name, *meant) + " could not be loaded, and is tried again in " +
                          std::to_string(wait_ms) + " ms at the earliest: " + entry.reason);
    Answer(std::move(demand), {.status = status, .model = nullptr, .retry_after_ms = wait_ms}, deferred);
    return;
  }
  if (record.Waiters() >= options_.lazy.waiters_max) {
    Refuse(std::move(demand),
           base::Unavailable("as many requests as may (" + std::to_string(options_.lazy.waiters_max) +
                             ") wait for model '" + record.name + "' to be loaded"),
           deferred);
    return;
  }
  int64_t until_ns = now_ns + options_.lazy.wait_max_ms * kNsPerMs;
  if (demand.deadline_ns != 0) until_ns = std::min(until_ns, demand.deadline_ns);
  entry.waiters.push_back({.demand = std::move(demand), .until_ns = until_ns});
  if (entry.Pending()) return;
  lazy_metrics_.demand_loads->Add();
  entry.failed = false;
  entry.demanded = true;
  Advance(record, deferred);
}

void Manager::Core::AnswerWaiters(ModelRecord& record, Deferred& deferred) {
  for (auto& [version, entry] : record.versions) {
    const bool comes = entry.serving == nullptr && entry.Pending() && record.wanted.contains(version);
    if (entry.waiters.empty() || comes) continue;
    base::Status status;
    if (entry.serving == nullptr) {
      const std::string text = Described(record.name, version) + " could not be loaded: ";
      const bool refused = entry.failed && entry.failed_code == base::StatusCode::kResourceExhausted;
      status = refused ? base::ResourceExhausted(text + entry.reason)
                       : base::Unavailable(text + (entry.failed ? entry.reason : record.problem));
    }
    const int64_t retry_after_ms = status.ok() ? 0 : kRetryAfterMs;
    for (LoadWaiter& waiter : entry.waiters) {
      Answer(std::move(waiter.demand), {.status = status, .model = entry.serving, .retry_after_ms = retry_after_ms},
             deferred);
    }
    entry.waiters.clear();
  }
}

void Manager::Core::ExpireWaiters(Deferred& deferred) {
  const int64_t now_ns = services_.clock.NowNs();
  records_.Settle();
  for (const std::string& name : records_.waiting()) {
    ModelRecord& record = *records_.Change(name);
    for (auto& [version, entry] : record.versions) {
      const auto gone = std::ranges::stable_partition(entry.waiters, [&](const LoadWaiter& waiter) {
        return now_ns < waiter.until_ns && (waiter.demand.cancel == nullptr || !waiter.demand.cancel->cancelled());
      });
      if (gone.empty()) continue;
      for (LoadWaiter& waiter : gone) {
        const int64_t deadline_ns = waiter.demand.deadline_ns;
        const bool cancelled = waiter.demand.cancel != nullptr && waiter.demand.cancel->cancelled();
        const std::string late = Described(name, version) + " was not loaded in time";
        base::Status status = base::Unavailable(late);
        if (deadline_ns != 0 && deadline_ns <= now_ns) status = base::DeadlineExceeded(late);
        if (cancelled) status = base::Cancelled("the request was cancelled");
        Refuse(std::move(waiter.demand), std::move(status), deferred);
      }
      entry.waiters.erase(gone.begin(), gone.end());
      if (!entry.waiters.empty() || !entry.waits_for_room || !record.load_waiters.empty()) continue;
      // No request is left that needs it.
      entry.waits_for_room = !record.LoadsOnDemand(version);
      entry.demanded = entry.waits_for_room;
      NoteNotLoaded(record);
    }
  }
}

}  // namespace inferd::repository

#include "serving/repository/demand/load_demands.h"

#include <algorithm>
#include <utility>

namespace inferd::repository {

namespace {

constexpr int64_t kRetryAfterMs = 1000;
constexpr int64_t kNsPerMs = 1'000'000;

std::string Described(const std::string& model, int64_t version) {
  return "model '" + model + "' version " + std::to_string(version);
}

bool Cancelled(const core::LoadDemand& demand) { return demand.cancel != nullptr && demand.cancel->cancelled(); }

}  // namespace

base::Status ShuttingDown() { return base::Unavailable("the server is shutting down"); }

void LoadDemands::Answer(core::LoadDemand&& demand, core::LoadOutcome outcome, Deferred& deferred) {
  deferred.push_back(
      [done = std::move(demand.done), outcome = std::move(outcome)]() mutable { done(std::move(outcome)); });
}

void LoadDemands::Refuse(core::LoadDemand&& demand, base::Status status, Deferred& deferred) {
  const bool again = status.code() == base::StatusCode::kUnavailable && !closed_;
  Answer(std::move(demand),
         {.status = std::move(status), .model = nullptr, .retry_after_ms = again ? kRetryAfterMs : 0}, deferred);
}

ModelRecord* LoadDemands::Take(core::LoadDemand demand, ModelRecords& records, Deferred& deferred) {
  if (closed_) return Refuse(std::move(demand), ShuttingDown(), deferred), nullptr;
  auto found = snapshots_.Current()->Find(demand.model, demand.version);
  if (found.has_value()) {
    Answer(std::move(demand), {.status = {}, .model = *std::move(found), .retry_after_ms = 0}, deferred);
    return nullptr;
  }
  const int64_t now_ns = clock_.NowNs();
  ModelRecord* const known = records.Change(demand.model);
  const int64_t* meant = known == nullptr ? nullptr : known->MeantOnDemand(demand.version, now_ns);
  if (meant == nullptr) return Refuse(std::move(demand), found.error(), deferred), nullptr;
  ModelRecord& record = *known;
  VersionHarness& harness = record.versions[*meant];
  if (harness.serving() != nullptr) {
    Answer(std::move(demand), {.status = {}, .model = harness.serving(), .retry_after_ms = 0}, deferred);
    return nullptr;
  }
  const LoadFailure& failure = harness.failure();
  if (failure.failed && now_ns < failure.RetryNs()) {
    const int64_t wait_ms = (failure.RetryNs() - now_ns + kNsPerMs - 1) / kNsPerMs;
    const auto status =
        base::Unavailable(Described(record.name, *meant) + " could not be loaded, and is tried again in " +
                          std::to_string(wait_ms) + " ms at the earliest: " + harness.reason());
    Answer(std::move(demand), {.status = status, .model = nullptr, .retry_after_ms = wait_ms}, deferred);
    return nullptr;
  }
  if (record.Waiters() >= lazy_.waiters_max) {
    Refuse(std::move(demand),
           base::Unavailable("as many requests as may (" + std::to_string(lazy_.waiters_max) + ") wait for model '" +
                             record.name + "' to be loaded"),
           deferred);
    return nullptr;
  }
  int64_t until_ns = now_ns + lazy_.wait_max_ms * kNsPerMs;
  if (demand.deadline_ns != 0) until_ns = std::min(until_ns, demand.deadline_ns);
  record.waiters[*meant].push_back({.demand = std::move(demand), .until_ns = until_ns});
  if (harness.Pending()) return nullptr;
  metrics_.demand_loads->Add();
  harness.ForgetFailure();
  harness.SetDemanded(true);
  return &record;
}

void LoadDemands::AnswerWaiters(ModelRecord& record, Deferred& deferred) {
  for (auto it = record.waiters.begin(); it != record.waiters.end();) {
    auto& [version, waiters] = *it;
    const VersionHarness& harness = record.versions[version];
    if (harness.serving() == nullptr && harness.Pending() && record.wanted.contains(version)) {
      ++it;
      continue;
    }
    base::Status status;
    if (harness.serving() == nullptr) {
      const std::string text = Described(record.name, version) + " could not be loaded: ";
      const LoadFailure& failure = harness.failure();
      const bool refused = failure.failed && failure.code == base::StatusCode::kResourceExhausted;
      status = refused ? base::ResourceExhausted(text + harness.reason())
                       : base::Unavailable(text + (failure.failed ? harness.reason() : record.problem));
    }
    const int64_t retry_after_ms = status.ok() ? 0 : kRetryAfterMs;
    for (LoadWaiter& waiter : waiters) {
      Answer(std::move(waiter.demand), {.status = status, .model = harness.serving(), .retry_after_ms = retry_after_ms},
             deferred);
    }
    it = record.waiters.erase(it);
  }
}

void LoadDemands::RefuseWaiters(ModelRecord& record, Deferred& deferred) {
  for (auto& [version, waiters] : record.waiters) {
    for (LoadWaiter& waiter : waiters) Refuse(std::move(waiter.demand), ShuttingDown(), deferred);
  }
  record.waiters.clear();
}

void LoadDemands::RefuseLate(LoadWaiter&& waiter, const std::string& late, Deferred& deferred) {
  const int64_t deadline_ns = waiter.demand.deadline_ns;
  base::Status status = base::Unavailable(late);
  if (deadline_ns != 0 && deadline_ns <= clock_.NowNs()) status = base::DeadlineExceeded(late);
  if (Cancelled(waiter.demand)) status = base::Cancelled("the request was cancelled");
  Refuse(std::move(waiter.demand), std::move(status), deferred);
}

void LoadDemands::LetGo(int64_t version, ModelRecord& record) {
  VersionHarness& harness = record.versions[version];
  using Phase = VersionHarness::Phase;
  const bool waits = harness.phase() == Phase::kWaitingForRoom || harness.phase() == Phase::kWaitingForDependencies;
  if (!waits || !record.load_waiters.empty()) return;
  const bool on_demand = record.LoadsOnDemand(version);
  if (on_demand && harness.phase() == Phase::kWaitingForRoom) harness.LeaveQueue();
  if (on_demand && harness.phase() == Phase::kWaitingForDependencies) harness.StopWaiting();
  harness.SetDemanded(!on_demand);
  record.NoteNotLoaded();
}

void LoadDemands::Expire(ModelRecords& records, Deferred& deferred) {
  const int64_t now_ns = clock_.NowNs();
  const auto waits = [now_ns](const LoadWaiter& waiter) {
    return now_ns < waiter.until_ns && !Cancelled(waiter.demand);
  };
  records.Settle();
  for (const std::string& name : records.waiting()) {
    const auto all_wait = [&waits](const auto& entry) { return std::ranges::all_of(entry.second, waits); };
    if (std::ranges::all_of(records.Find(name)->waiters, all_wait)) continue;
    ModelRecord& record = *records.Change(name);
    for (auto it = record.waiters.begin(); it != record.waiters.end();) {
      auto& [version, waiters] = *it;
      const auto gone = std::ranges::stable_partition(waiters, waits);
      const std::string late = Described(name, version) + " was not loaded in time";
      for (LoadWaiter& waiter : gone) RefuseLate(std::move(waiter), late, deferred);
      waiters.erase(gone.begin(), gone.end());
      if (waiters.empty()) LetGo(version, record);
      it = waiters.empty() ? record.waiters.erase(it) : std::next(it);
    }
  }
}

}  // namespace inferd::repository

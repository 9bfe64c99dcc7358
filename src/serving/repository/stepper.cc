#include "serving/repository/stepper.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "config/model/instances.h"

namespace inferd::repository {

namespace {

using Phase = VersionHarness::Phase;

void Answer(std::vector<core::ControlCallback>& waiters, const base::Status& outcome, Deferred& deferred) {
  for (auto& waiter : waiters) {
    deferred.push_back([done = std::move(waiter), outcome]() mutable { done(std::move(outcome)); });
  }
  waiters.clear();
}

// Returns the settings of each instance, sorted. Instances with equal settings can replace each other.
std::multiset<std::string> SettingsOfInstances(const config::ModelConfig& config) {
  std::multiset<std::string> settings;
  for (const config::Instance& each : config::ExpandInstances(config)) {
    const config::InstanceGroup& group = config.instance_groups[static_cast<size_t>(each.group)];
    std::string text = std::to_string(static_cast<int>(each.kind)) + " " + std::to_string(each.device) + " " +
                       group.host_policy + " " + std::to_string(group.priority);
    for (const config::Resource& resource : group.resources) {
      text += " " + resource.name + (resource.global ? " global " : " ") + std::to_string(resource.count);
    }
    settings.insert(std::move(text));
  }
  return settings;
}

// As in Triton, instances that are not needed any more are gone when the load call is answered. Sequences keep theirs.
bool LosesInstances(const config::ModelConfig& now, const config::ModelConfig& before) {
  return !before.sequence_batching.has_value() &&
         !std::ranges::includes(SettingsOfInstances(now), SettingsOfInstances(before));
}

// Notes the models that the record's model needs. Returns true if it needs others, or did before.
bool NoteNeeds(ModelRecords& records, const ModelRecord& record) {
  Dependencies::Names needed = NamesNeeded(record);
  if (needed.empty() && records.dependencies().NeededBy(record.name).empty()) return false;
  records.dependencies().Set(record.name, std::move(needed));
  return true;
}

}  // namespace

void Stepper::Advance(State& state, ModelRecord& record, Deferred& deferred) const {
  if (NoteNeeds(state.records, record)) return state.records.dependencies().PlanLater(record.name);
  Plan(state, record, deferred);
}

void Stepper::Plan(State& state, ModelRecord& record, Deferred& deferred) const {
  const Needs needs = JudgeNeeds(state.records, record, clock_.NowNs(), all_or_none_);
  const std::string needed = SignaturesNeeded(state.records, record);
  for (auto& [version, wanted] : record.wanted) {
    wanted.content.needed = needed;
    record.versions.try_emplace(version);
  }
  for (auto& [version, harness] : record.versions) {
    const bool wanted = record.wanted.contains(version);
    const bool met = needs.state == NeedState::kMet;
    if (harness.serving() != nullptr || !wanted) harness.SetDemanded(false);
    if (harness.phase() == Phase::kWaitingForRoom && (!wanted || !met)) harness.LeaveQueue();
    harness.ForgetFailure(VersionHarness::Cause::kDependency);
    if (wanted) {
      harness.NoteWanted(record.wanted.at(version).content);
    } else {
      harness.NoteUnwanted();
    }
  }
  const bool changing = record.changing && record.authority == Authority::kFolder;
  const LoadPlan plan = PlanModel(ViewsWithNeeds(state.records, record, needs), changing, record.transition);
  Follow(state, plan, record, deferred);
  FollowNeeds(state, plan, needs, record);
  record.NoteNotLoaded();
  state.demands.AnswerWaiters(record, deferred);
  Prune(state, record);
  const bool replaces = record.Ending() && !record.wanted.empty();
  if (!record.Loading() && !replaces && !record.shrinks && !record.load_waiters.empty())
    Answer(record.load_waiters, record.LoadOutcome(), deferred);
  if (!record.AnyReady() || !record.wanted.empty()) Answer(record.unload_waiters, base::OkStatus(), deferred);
  if (record.Loading()) return;
  for (base::Task& task : record.when_loaded) deferred.push_back(std::move(task));
  record.when_loaded.clear();
  if (all_or_none_) EndIncomplete(state, record, deferred);
}

void Stepper::EndIncomplete(State& state, ModelRecord& record, Deferred& deferred) const {
  if (record.wanted.empty()) {
    record.was_up = false;
    return;
  }
  const base::Status outcome = record.LoadOutcome();
  if (outcome.ok()) record.was_up = record.was_up || record.Up();
  if (outcome.ok() || record.was_up || !record.AnyReady()) return;
  record.wanted.clear();
  record.problem = outcome.message();
  Plan(state, record, deferred);
}

void Stepper::Follow(State& state, const LoadPlan& plan, ModelRecord& record, Deferred& deferred) const {
  for (auto& [version, harness] : record.versions) {
    const bool waits = harness.phase() == Phase::kWaitingToReplace || harness.phase() == Phase::kWaitingForDependencies;
    if (waits) harness.StopWaiting();
    harness.SetEnding(false);
  }
  for (const int64_t version : plan.load) {
    record.versions.at(version).QueueForRoom();
    state.room.Queue({record.name, version});
  }
  for (const int64_t version : plan.unload) {
    // Until then, requests to the models that depend on it are still answered.
    if (IsNeeded(state.records, record, version, plan.unload)) {
      record.versions.at(version).SetEnding(true);
    } else {
      EndServing(state, record, version, /*at_once=*/false, deferred);
    }
  }
  for (const int64_t version : plan.wait) {
    VersionHarness& harness = record.versions.at(version);
    if (harness.serving() == nullptr) harness.WaitToReplace();
  }
}

void Stepper::FollowNeeds(State& state, const LoadPlan& plan, const Needs& needs, ModelRecord& record) const {
  for (const int64_t version : plan.depend) record.versions.at(version).WaitForDependencies(needs.reason);
  for (const int64_t version : plan.refuse) {
    VersionHarness& harness = record.versions.at(version);
    if (harness.reason() != needs.reason) {
      logger_.Error("'" + record.name + "' version " + std::to_string(version) + " is not loaded: " + needs.reason,
                    {{"model", record.name, /*in_message=*/true}, {"version", version, /*in_message=*/true}});
    }
    harness.RefuseLoad(record.wanted.at(version).content, base::Unavailable(needs.reason), clock_.NowNs());
  }
  if (plan.depend.empty()) return;
  for (const auto& [name, version] : needs.asleep) {
    state.records.Change(name)->versions[version].SetDemanded(true);
    state.records.dependencies().PlanLater(name);
  }
}

void Stepper::PlanAffected(State& state, Deferred& deferred) const {
  state.records.Settle();
  while (state.records.dependencies().AnyAffected()) {
    for (const std::string& name : state.records.dependencies().TakeAffected()) {
      ModelRecord* const record = state.records.Change(name);
      if (record == nullptr || state.stopping) continue;
      NoteNeeds(state.records, *record);
      Plan(state, *record, deferred);
      ForgetIfGone(state, name);
    }
    state.records.Settle();
  }
}

void Stepper::RetryNeeded(State& state, const std::string& model) const {
  for (const std::string& name : state.records.dependencies().AllNeededBy({model})) {
    const ModelRecord* const known = state.records.Find(name);
    if (known == nullptr || !known->on_demand || !known->AnyFailed()) continue;
    for (auto& [version, harness] : state.records.Change(name)->versions) {
      if (harness.failure().RetryNs() <= clock_.NowNs()) harness.ForgetFailure();
    }
  }
}

void Stepper::Conclude(State& state, Deferred& deferred) const {
  do {
    PlanAffected(state, deferred);
    AdmitLoads(state, deferred);
    state.records.Settle();
  } while (state.records.dependencies().AnyAffected());
  Publish(state);
  lazy_metrics_.Show(state.records.totals());
  if (state.started) state.readiness.Update(state.records);
}

void Stepper::Publish(State& state) const {
  state.publisher.Publish(state.records);
  for (const std::string& refused : state.records.TakeRefused()) {
    logger_.Error("a step that is impossible was not taken: " + refused);
  }
}

void Stepper::AdmitLoads(State& state, Deferred& deferred) const {
  while (!state.stopping) {
    const std::optional<RoomStep> step = state.room.Next(state.records);
    if (!step.has_value()) return;
    if (step->fits) {
      StartLoad(state, *state.records.Change(step->id.name), step->id.version);
    } else if (!step->refusal.ok()) {
      RefuseLoad(state, *step, deferred);
    } else {
      return MakeRoom(state, *step, deferred);
    }
  }
}

void Stepper::StartLoad(State& state, ModelRecord& record, int64_t version) const {
  const WantedVersion& wanted = record.wanted.at(version);
  if (!record.versions.at(version).BeginLoad(wanted.content, wanted.held)) return;
  ++state.busy;
  LoadJob job = wanted.job;
  job.generation = ++state.generations;
  runner_.Start(std::move(job));
}

void Stepper::RefuseLoad(State& state, const RoomStep& step, Deferred& deferred) const {
  const auto& [name, version] = step.id;
  lazy_metrics_.refusals->Add();
  logger_.Error("'" + name + "' version " + std::to_string(version) + " is not loaded: " + step.refusal.message(),
                {{"model", name, /*in_message=*/true}, {"version", version, /*in_message=*/true}});
  ModelRecord& record = *state.records.Change(name);
  record.versions.at(version).RefuseLoad(record.wanted.at(version).content, step.refusal, clock_.NowNs());
  Advance(state, record, deferred);
}

void Stepper::MakeRoom(State& state, const RoomStep& step, Deferred& deferred) const {
  state.records.Change(step.id.name)->versions.at(step.id.version).NoteNoRoom();
  for (const core::ModelId& victim : step.evict) {
    // Models that need it must go first; then room is looked for again.
    if (IsNeeded(state.records, *state.records.Find(victim.name), victim.version, {})) continue;
    lazy_metrics_.evictions->Add();
    logger_.Info("'" + victim.name + "' makes room for '" + step.id.name + "'",
                 {{"model", victim.name, /*in_message=*/true}, {"version", victim.version, /*in_message=*/true}});
    EndServing(state, *state.records.Change(victim.name), victim.version, /*at_once=*/true, deferred);
  }
}

void Stepper::Prune(State& state, ModelRecord& record) const {
  // Triton knows of a version for as long as it runs.
  constexpr size_t kGoneMax = 256;
  for (const int64_t version : record.Prune(all_or_none_ ? kGoneMax : 0))
    state.departed.NoteVersion(record.name, version, nullptr);
}

void Stepper::EndServing(State& state, ModelRecord& record, int64_t version, bool at_once, Deferred& deferred) const {
  VersionHarness::Version old = record.versions.at(version).EndServing();
  if (old == nullptr) return;
  record.NoteLeft(*old);
  state.departed.NoteVersion(record.name, version, old.get());
  logger_.Info(all_or_none_ ? "unloading: " + record.name + ":" + std::string(old->version())
                            : "unloading '" + record.name + "' version " + std::string(old->version()),
               {{"model", record.name, /*in_message=*/true},
                {"version", base::LogValue::NumberIn(old->version()), /*in_message=*/true}});
  const bool replaced =
      std::ranges::any_of(record.versions, [](const auto& each) { return each.second.serving() != nullptr; });
  if (replaced && !at_once) return LetLeave(std::move(old), deferred);
  deferred.push_back([old = std::move(old)] {});
}

void Stepper::LetLeave(VersionHarness::Version old, Deferred& deferred) const {
  if (old == nullptr) return;
  snapshots_.leaving().Add(old);
  deferred.push_back([old = std::move(old), until_ns = clock_.NowNs() + sequences_ns_]() mutable {
    core::LeavingVersions::Keep(std::move(old), until_ns);
  });
}

void Stepper::LoadEnded(State& state, const core::ModelId& id,
                        base::Result<std::shared_ptr<const core::ModelVersion>> loaded, Deferred& deferred) const {
  ModelRecord& record = *state.records.Change(id.name);
  VersionHarness& harness = record.versions.at(id.version);
  if (!loaded.has_value()) {
    harness.FailLoad(loaded.error(), clock_.NowNs());
  } else {
    std::shared_ptr<const core::ModelVersion> old = *std::move(loaded);
    if (record.wanted.contains(id.version) && !state.stopping) {
      old->NoteUse(clock_.NowNs());
      old = harness.Serve(std::move(old));
      if (old != nullptr) {
        record.NoteLeft(*old);
        state.departed.NoteVersion(id.name, id.version, old.get());
        record.shrinks = all_or_none_ && LosesInstances(harness.serving()->config(), old->config());
      }
    } else {
      harness.DiscardLoad();
    }
    // Released after the new snapshot is published.
    LetLeave(std::move(old), deferred);
  }
  if (state.stopping) return Publish(state);
  Advance(state, record, deferred);
  Conclude(state, deferred);
}

void Stepper::LoadGone(State& state, const LoadMetrics::Version& load, Deferred& deferred) const {
  ModelRecord& record = *state.records.Change(load.id.name);
  VersionHarness& harness = record.versions.at(load.id.version);
  if (harness.LoadGone()) load_metrics_.ForgetVersion(load);
  if (LeavingLoads(harness) == 0) state.departed.CloseVersion(load.id.name, load.id.version);
  const Dependencies::Names needed = state.records.dependencies().NeededBy(record.name);
  record.ForgetLeft();
  NoteNeeds(state.records, record);
  for (const std::string& name : needed) {
    const ModelRecord* const other = state.records.Find(name);
    if (other != nullptr && other->Ending()) state.records.dependencies().PlanLater(name);
  }
  const bool shrunk = record.shrinks && LeavingLoads(harness) == 0;
  if (shrunk) record.shrinks = false;
  if (!state.stopping && (record.Replaces() || shrunk)) Advance(state, record, deferred);
  record.NoteNotLoaded();
  Prune(state, record);
  ForgetIfGone(state, load.id.name);
  if (state.stopping) return state.records.Settle();
  Conclude(state, deferred);
}

void Stepper::ForgetIfGone(State& state, const std::string& name) const {
  if (!state.records.Find(name)->Forgettable()) return;
  load_metrics_.ForgetModel(name);
  state.problems.Forget(name);
  state.problems.Forget(name + "/versions");
  state.departed.ForgetVersions(name);
  state.records.Forget(name);
  state.records.Erase(name);
}

void Stepper::EndAll(State& state, Deferred& deferred) const {
  const base::Status why = ShuttingDown();
  state.demands.Close();
  for (const auto& [name, known] : state.records.all()) {
    ModelRecord& record = *state.records.Change(name);
    record.wanted.clear();
    record.problem = why.message();
    for (auto& [version, harness] : record.versions) {
      if (harness.serving() != nullptr) EndServing(state, record, version, /*at_once=*/true, deferred);
      if (harness.phase() == Phase::kWaitingForRoom) harness.LeaveQueue();
      if (harness.phase() == Phase::kWaitingForDependencies) harness.StopWaiting();
    }
    state.demands.RefuseWaiters(record, deferred);
    Answer(record.load_waiters, why, deferred);
    Answer(record.unload_waiters, base::OkStatus(), deferred);
    for (base::Task& task : record.when_loaded) deferred.push_back(std::move(task));
    record.when_loaded.clear();
  }
  Publish(state);
  deferred.push_back([this] { snapshots_.leaving().Release(); });
}

}  // namespace inferd::repository

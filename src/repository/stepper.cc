#include "repository/stepper.h"

#include <utility>

namespace inferd::repository {

namespace {

using Phase = VersionHarness::Phase;

void AnswerLoadWaiters(ModelRecord& record, const base::Status& outcome, Deferred& deferred) {
  for (auto& waiter : record.load_waiters) {
    deferred.push_back([done = std::move(waiter), outcome]() mutable { done(std::move(outcome)); });
  }
  record.load_waiters.clear();
}

}  // namespace

void Stepper::Advance(State& state, ModelRecord& record, Deferred& deferred) const {
  for (const auto& [version, wanted] : record.wanted) record.versions.try_emplace(version);
  for (auto& [version, harness] : record.versions) {
    const bool wanted = record.wanted.contains(version);
    if (harness.serving() != nullptr || !wanted) harness.SetDemanded(false);
    if (harness.phase() == Phase::kWaitingForRoom && !wanted) harness.LeaveQueue();
  }
  const bool changing = record.changing && record.authority == Authority::kFolder;
  Follow(state, PlanModel(record.Views(), changing, record.transition), record, deferred);
  record.NoteNotLoaded();
  state.demands.AnswerWaiters(record, deferred);
  record.Prune();
  if (!record.Loading() && !record.load_waiters.empty()) AnswerLoadWaiters(record, record.LoadOutcome(), deferred);
}

void Stepper::Follow(State& state, const LoadPlan& plan, ModelRecord& record, Deferred& deferred) const {
  for (auto& [version, harness] : record.versions) {
    if (harness.phase() == Phase::kWaitingToReplace) harness.StopReplacing();
  }
  for (const int64_t version : plan.load) {
    record.versions.at(version).QueueForRoom();
    state.room.Queue({record.name, version});
  }
  for (const int64_t version : plan.unload) EndServing(record.name, record.versions.at(version), deferred);
  for (const int64_t version : plan.wait) record.versions.at(version).WaitToReplace();
}

void Stepper::Conclude(State& state, Deferred& deferred) const {
  AdmitLoads(state, deferred);
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
  if (!record.versions.at(version).BeginLoad(wanted.content, wanted.bytes)) return;
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
    lazy_metrics_.evictions->Add();
    logger_.Info("'" + victim.name + "' makes room for '" + step.id.name + "'",
                 {{"model", victim.name, /*in_message=*/true}, {"version", victim.version, /*in_message=*/true}});
    EndServing(victim.name, state.records.Change(victim.name)->versions.at(victim.version), deferred);
  }
}

void Stepper::EndServing(const std::string& model, VersionHarness& version, Deferred& deferred) const {
  VersionHarness::Version old = version.EndServing();
  if (old == nullptr) return;
  logger_.Info("unloading '" + model + "' version " + old->version(),
               {{"model", model, /*in_message=*/true},
                {"version", base::LogValue::NumberIn(old->version()), /*in_message=*/true}});
  deferred.push_back([old = std::move(old)] {});
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
    } else {
      harness.DiscardLoad();
    }
    // Let go of after the new snapshot is out.
    deferred.push_back([old = std::move(old)] {});
  }
  if (state.stopping) return Publish(state);
  Advance(state, record, deferred);
  Conclude(state, deferred);
}

void Stepper::LoadGone(State& state, const LoadMetrics::Version& load, Deferred& deferred) const {
  ModelRecord& record = *state.records.Change(load.id.name);
  if (record.versions.at(load.id.version).LoadGone()) load_metrics_.ForgetVersion(load);
  if (!state.stopping && record.Replaces()) Advance(state, record, deferred);
  record.NoteNotLoaded();
  record.Prune();
  ForgetIfGone(state, load.id.name);
  if (state.stopping) return state.records.Settle();
  Conclude(state, deferred);
}

void Stepper::ForgetIfGone(State& state, const std::string& name) const {
  if (!state.records.Find(name)->Forgettable()) return;
  load_metrics_.ForgetModel(name);
  state.problems.Forget(name);
  state.problems.Forget(name + "/versions");
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
      if (harness.serving() != nullptr) EndServing(name, harness, deferred);
      if (harness.phase() == Phase::kWaitingForRoom) harness.LeaveQueue();
    }
    state.demands.RefuseWaiters(record, deferred);
    AnswerLoadWaiters(record, why, deferred);
  }
  Publish(state);
}

}  // namespace inferd::repository

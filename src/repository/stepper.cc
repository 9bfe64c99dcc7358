#include "repository/stepper.h"

#include <utility>

namespace inferd::repository {

namespace {

constexpr std::string_view kWaitsForRoom = "waits for memory that other models hold";

void AnswerLoadWaiters(ModelRecord& record, const base::Status& outcome, Deferred& deferred) {
  for (auto& waiter : record.load_waiters) {
    deferred.push_back([done = std::move(waiter), outcome]() mutable { done(std::move(outcome)); });
  }
  record.load_waiters.clear();
}

}  // namespace

void Stepper::Advance(State& state, ModelRecord& record, Deferred& deferred) const {
  for (const auto& [version, wanted] : record.wanted) record.versions.try_emplace(version);
  for (auto& [version, entry] : record.versions) {
    if (entry.serving != nullptr || !record.wanted.contains(version)) entry.demanded = false;
    entry.waits_for_room &= record.wanted.contains(version);
  }
  const bool changing = record.changing && record.authority == Authority::kFolder;
  Follow(state, PlanModel(record.Views(), changing, record.transition), record, deferred);
  record.NoteNotLoaded();
  state.demands.AnswerWaiters(record, deferred);
  record.Prune();
  if (!record.Loading() && !record.load_waiters.empty()) AnswerLoadWaiters(record, record.LoadOutcome(), deferred);
}

void Stepper::Follow(State& state, const LoadPlan& plan, ModelRecord& record, Deferred& deferred) const {
  for (auto& [version, entry] : record.versions) {
    if (std::exchange(entry.waits_to_replace, false)) entry.reason.clear();
  }
  for (const int64_t version : plan.load) {
    record.versions.at(version).waits_for_room = true;
    state.room.Queue({record.name, version});
  }
  for (const int64_t version : plan.unload) EndServing(record.name, record.versions.at(version), deferred);
  for (const int64_t version : plan.wait) {
    VersionRecord& entry = record.versions.at(version);
    entry.waits_to_replace = true;
    entry.demanded = true;  // what replaces another does not wait for requests as well
    entry.reason = kWaitsToReplace;
  }
}

void Stepper::Conclude(State& state, Deferred& deferred) const {
  AdmitLoads(state, deferred);
  state.publisher.Publish(state.records);
  lazy_metrics_.Show(state.records.totals());
  if (state.started) state.readiness.Update(state.records);
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
  VersionRecord& entry = record.versions.at(version);
  const WantedVersion& wanted = record.wanted.at(version);
  entry.waits_for_room = false;
  if (entry.reason == kWaitsForRoom || entry.reason == kNotLoaded) entry.reason.clear();
  entry.bytes = wanted.bytes;
  entry.loading = true;
  entry.loading_content = wanted.content;
  entry.failed = false;
  ++entry.alive;
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
  VersionRecord& entry = record.versions.at(version);
  entry.waits_for_room = false;
  NoteFailure(entry, record.wanted.at(version).content, step.refusal);
  Advance(state, record, deferred);
}

void Stepper::MakeRoom(State& state, const RoomStep& step, Deferred& deferred) const {
  state.records.Change(step.id.name)->versions.at(step.id.version).reason = kWaitsForRoom;
  for (const core::ModelId& victim : step.evict) {
    lazy_metrics_.evictions->Add();
    logger_.Info("'" + victim.name + "' makes room for '" + step.id.name + "'",
                 {{"model", victim.name, /*in_message=*/true}, {"version", victim.version, /*in_message=*/true}});
    EndServing(victim.name, state.records.Change(victim.name)->versions.at(victim.version), deferred);
  }
}

void Stepper::EndServing(const std::string& model, VersionRecord& version, Deferred& deferred) const {
  const std::string& version_text = version.serving->version();
  logger_.Info("unloading '" + model + "' version " + version_text,
               {{"model", model, /*in_message=*/true},
                {"version", base::LogValue::NumberIn(version_text), /*in_message=*/true}});
  version.failed = false;
  version.failed_code = base::StatusCode::kOk;
  version.reason = "unloading";
  deferred.push_back([old = std::move(version.serving)] {});
  version.serving = nullptr;
}

void Stepper::NoteFailure(VersionRecord& version, const VersionContent& content, const base::Status& status) const {
  version.demanded = false;
  version.failed = true;
  version.failed_ns = clock_.NowNs();
  version.failed_content = content;
  version.failed_code = status.code();
  version.reason = status.message();
}

void Stepper::LoadEnded(State& state, const core::ModelId& id,
                        base::Result<std::shared_ptr<const core::ModelVersion>> loaded, Deferred& deferred) const {
  ModelRecord& record = *state.records.Change(id.name);
  VersionRecord& entry = record.versions.at(id.version);
  entry.loading = false;
  if (loaded.has_value()) {
    std::shared_ptr<const core::ModelVersion> old = *std::move(loaded);
    if (record.wanted.contains(id.version) && !state.stopping) {
      entry.serving.swap(old);
      entry.serving_content = entry.loading_content;
      entry.reason.clear();
      entry.failed_code = base::StatusCode::kOk;
      entry.failures = 0;
      entry.serving->NoteUse(clock_.NowNs());
    }
    // Let go of after the new snapshot is out.
    deferred.push_back([old = std::move(old)] {});
  } else {
    if (entry.failed_content != entry.loading_content) entry.failures = 0;
    ++entry.failures;
    NoteFailure(entry, entry.loading_content, loaded.error());
  }
  if (state.stopping) return state.publisher.Publish(state.records);
  Advance(state, record, deferred);
  Conclude(state, deferred);
}

void Stepper::LoadGone(State& state, const LoadMetrics::Version& load, Deferred& deferred) const {
  ModelRecord& record = *state.records.Change(load.id.name);
  VersionRecord& entry = record.versions.at(load.id.version);
  --entry.alive;
  if (entry.alive == 0 && entry.serving == nullptr && !entry.Pending() && !entry.failed) {
    entry.reason = "unloaded";
    load_metrics_.ForgetVersion(load);
  }
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
    for (auto& [version, entry] : record.versions) {
      if (entry.serving != nullptr) EndServing(name, entry, deferred);
      entry.waits_for_room = false;
    }
    state.demands.RefuseWaiters(record, deferred);
    AnswerLoadWaiters(record, why, deferred);
  }
  state.publisher.Publish(state.records);
}

}  // namespace inferd::repository

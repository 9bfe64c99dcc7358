#pragma once

#include <memory>
#include <string>

#include "serving/repository/load/load_runner.h"
#include "serving/repository/records/needs.h"
#include "serving/repository/state.h"

namespace inferd::repository {

// What every change of a record leads to: Advance() plans for the model and begins what the plan says, Conclude() ends
// the step: it starts the loads that there is room for, and publishes. Thread-safe, as the state is locked. What is
// referred to outlives it.
class Stepper final {
 public:
  // `all_or_none`: ManagerOptions::triton_exact.
  // `sequences_ns`: ManagerOptions::sequence_grace_ms.
  Stepper(const ManagerServices& services, LoadMetrics& load_metrics, LazyMetrics& lazy_metrics, LoadRunner& runner,
          bool all_or_none, int64_t sequences_ns)
      : clock_(services.clock),
        logger_(services.logger),
        load_metrics_(load_metrics),
        lazy_metrics_(lazy_metrics),
        runner_(runner),
        snapshots_(services.snapshots),
        all_or_none_(all_or_none),
        sequences_ns_(sequences_ns) {}

  // A model that depends on others is planned when the step is concluded: they may change in the same step.
  void Advance(State& state, ModelRecord& record, Deferred& deferred) const REQUIRES(state.mutex);
  // Its cost goes with the models that the step changed, not with those that there are.
  void Conclude(State& state, Deferred& deferred) const REQUIRES(state.mutex);
  // A request needs the model: what it depends on and is loaded on demand may be tried again, unless that failed just
  // now.
  void RetryNeeded(State& state, const std::string& model) const REQUIRES(state.mutex);
  // Drops the record of a model that there is nothing to be said of any more.
  void ForgetIfGone(State& state, const std::string& name) const REQUIRES(state.mutex);

  // Steps of their own: what became of a load, and that all that was made for it is gone.
  void LoadEnded(State& state, const core::ModelId& id, base::Result<std::shared_ptr<const core::ModelVersion>> loaded,
                 Deferred& deferred) const REQUIRES(state.mutex);
  void LoadGone(State& state, const LoadMetrics::Version& load, Deferred& deferred) const REQUIRES(state.mutex);
  // Nothing is wanted any more, and all that waits is answered: the server is shutting down.
  void EndAll(State& state, Deferred& deferred) const REQUIRES(state.mutex);

 private:
  void Plan(State& state, ModelRecord& record, Deferred& deferred) const REQUIRES(state.mutex);
  // Of a model that never served as a whole, nothing serves once a version has failed.
  void EndIncomplete(State& state, ModelRecord& record, Deferred& deferred) const REQUIRES(state.mutex);
  // Plans the models that depend on others, as far as those have changed.
  void PlanAffected(State& state, Deferred& deferred) const REQUIRES(state.mutex);
  void Follow(State& state, const LoadPlan& plan, ModelRecord& record, Deferred& deferred) const REQUIRES(state.mutex);
  void FollowNeeds(State& state, const LoadPlan& plan, const Needs& needs, ModelRecord& record) const
      REQUIRES(state.mutex);
  void AdmitLoads(State& state, Deferred& deferred) const REQUIRES(state.mutex);
  void StartLoad(State& state, ModelRecord& record, int64_t version) const REQUIRES(state.mutex);
  void RefuseLoad(State& state, const RoomStep& step, Deferred& deferred) const REQUIRES(state.mutex);
  void MakeRoom(State& state, const RoomStep& step, Deferred& deferred) const REQUIRES(state.mutex);
  void Publish(State& state) const REQUIRES(state.mutex);
  // Drops the versions that there is nothing more to say about. Their statistics stay.
  void Prune(State& state, ModelRecord& record) const REQUIRES(state.mutex);
  // `at_once`: its sequences do not keep it.
  void EndServing(State& state, ModelRecord& record, int64_t version, bool at_once, Deferred& deferred) const
      REQUIRES(state.mutex);
  // Lets go of what does not serve any more, once the new snapshot is out: another version of the model does, and its
  // sequences keep it for a while.
  void LetLeave(VersionHarness::Version old, Deferred& deferred) const;

  const base::Clock& clock_;
  base::Logger& logger_;
  LoadMetrics& load_metrics_;
  LazyMetrics& lazy_metrics_;
  LoadRunner& runner_;
  core::SnapshotPublisher& snapshots_;
  const bool all_or_none_;
  const int64_t sequences_ns_;
};

}  // namespace inferd::repository

#pragma once

#include <memory>
#include <string>

#include "serving/repository/load/load_runner.h"
#include "serving/repository/records/needs.h"
#include "serving/repository/state.h"

namespace inferd::repository {

// Carries out what a change of a record leads to. Advance() plans for the model and begins what the plan says.
// Conclude() ends the step: it starts the loads for which there is room, and publishes. Thread-safe under the state's
// lock. The constructor's arguments must outlive the object.
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

  // Plans for the model. A model that depends on others is planned in Conclude() instead, as they may change in the
  // same step.
  void Advance(State& state, ModelRecord& record, Deferred& deferred) const REQUIRES(state.mutex);
  // Ends the step. Its cost grows with the models that the step changed, not with the number of models.
  void Conclude(State& state, Deferred& deferred) const REQUIRES(state.mutex);
  // Call when a request needs the model. Models that it depends on and that are loaded on demand may be tried again,
  // unless they failed just now.
  void RetryNeeded(State& state, const std::string& model) const REQUIRES(state.mutex);
  // Drops the model's record if nothing in it is worth keeping.
  void ForgetIfGone(State& state, const std::string& name) const REQUIRES(state.mutex);

  // Steps of their own: the end of a load with its result, and the destruction of all that was made for a load.
  void LoadEnded(State& state, const core::ModelId& id, base::Result<std::shared_ptr<const core::ModelVersion>> loaded,
                 Deferred& deferred) const REQUIRES(state.mutex);
  void LoadGone(State& state, const LoadMetrics::Version& load, Deferred& deferred) const REQUIRES(state.mutex);
  // For shutdown: makes nothing wanted any more, and answers all waiting requests and calls.
  void EndAll(State& state, Deferred& deferred) const REQUIRES(state.mutex);

 private:
  void Plan(State& state, ModelRecord& record, Deferred& deferred) const REQUIRES(state.mutex);
  // Unloads the ready versions of a model that never was up as a whole, once one of its versions has failed.
  void EndIncomplete(State& state, ModelRecord& record, Deferred& deferred) const REQUIRES(state.mutex);
  // Plans the models that depend on others, as far as the looks of those others have changed.
  void PlanAffected(State& state, Deferred& deferred) const REQUIRES(state.mutex);
  void Follow(State& state, const LoadPlan& plan, ModelRecord& record, Deferred& deferred) const REQUIRES(state.mutex);
  void FollowNeeds(State& state, const LoadPlan& plan, const Needs& needs, ModelRecord& record) const
      REQUIRES(state.mutex);
  void AdmitLoads(State& state, Deferred& deferred) const REQUIRES(state.mutex);
  void StartLoad(State& state, ModelRecord& record, int64_t version) const REQUIRES(state.mutex);
  void RefuseLoad(State& state, const RoomStep& step, Deferred& deferred) const REQUIRES(state.mutex);
  void MakeRoom(State& state, const RoomStep& step, Deferred& deferred) const REQUIRES(state.mutex);
  void Publish(State& state) const REQUIRES(state.mutex);
  // Drops the versions about which there is nothing more to report. Keeps their statistics.
  void Prune(State& state, ModelRecord& record) const REQUIRES(state.mutex);
  // Ends the version's service. `at_once` is true if its open sequences do not keep it.
  void EndServing(State& state, ModelRecord& record, int64_t version, bool at_once, Deferred& deferred) const
      REQUIRES(state.mutex);
  // Releases a replaced version once the new snapshot is published. Its open sequences keep it for sequences_ns at
  // most.
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

#pragma once

#include "base/clock.h"
#include "serving/core/request/load_demand.h"
#include "serving/core/snapshot_publisher.h"
#include "serving/repository/records/deferred.h"
#include "serving/repository/records/model_records.h"
#include "serving/repository/room/lazy_loading.h"
#include "serving/repository/room/lazy_metrics.h"

namespace inferd::repository {

// Returns the error for requests to a server that does not take any more.
base::Status ShuttingDown();

// Decides which requests wait for a version to be loaded, and answers them. The waiting requests are stored in the
// models' records. Not thread-safe: guarded by the manager's lock. Answers go into `deferred`.
class LoadDemands final {
 public:
  // The references must outlive the object.
  LoadDemands(const LazyLoading& lazy, const base::Clock& clock, const core::SnapshotPublisher& snapshots,
              const LazyMetrics& metrics)
      : lazy_(lazy), clock_(clock), snapshots_(snapshots), metrics_(metrics) {}

  // Answers the demand, or makes it wait. Returns the model if one of its versions is newly demanded: the caller must
  // then plan for the model. Null if there is nothing to plan.
  ModelRecord* Take(core::LoadDemand demand, ModelRecords& records, Deferred& deferred);
  // Answers the model's waiting demands whose version is ready, or will not come.
  void AnswerWaiters(ModelRecord& record, Deferred& deferred);
  // Answers demands that were cancelled or have timed out. A version that nothing needs any more then stops waiting for
  // room.
  void Expire(ModelRecords& records, Deferred& deferred);
  // Refuses all demands from now on.
  void Close() { closed_ = true; }
  // Answers all waiting demands of the model with ShuttingDown().
  void RefuseWaiters(ModelRecord& record, Deferred& deferred);

 private:
  void Answer(core::LoadDemand&& demand, core::LoadOutcome outcome, Deferred& deferred);
  void Refuse(core::LoadDemand&& demand, base::Status status, Deferred& deferred);
  // Call when no demand waits for the version any more. If it only waits for room or dependencies, it stops waiting.
  static void LetGo(int64_t version, ModelRecord& record);
  void RefuseLate(LoadWaiter&& waiter, const std::string& late, Deferred& deferred);

  const LazyLoading& lazy_;
  const base::Clock& clock_;
  const core::SnapshotPublisher& snapshots_;
  const LazyMetrics& metrics_;
  bool closed_ = false;
};

}  // namespace inferd::repository

#pragma once

#include "base/clock.h"
#include "serving/core/request/load_demand.h"
#include "serving/core/snapshot_publisher.h"
#include "serving/repository/records/deferred.h"
#include "serving/repository/records/model_records.h"
#include "serving/repository/room/lazy_loading.h"
#include "serving/repository/room/lazy_metrics.h"

namespace inferd::repository {

// What requests are told that a server does not take any more.
base::Status ShuttingDown();

// The requests that wait for versions to be loaded, which stand in the models' records: which of them wait, and what
// they are told when they do not any more. Not thread-safe: guarded by the manager's lock. Answers go into `deferred`.
class LoadDemands final {
 public:
  // What is referred to outlives it.
  LoadDemands(const LazyLoading& lazy, const base::Clock& clock, const core::SnapshotPublisher& snapshots,
              const LazyMetrics& metrics)
      : lazy_(lazy), clock_(clock), snapshots_(snapshots), metrics_(metrics) {}

  // Answers the demand, or has it wait. The model is returned whose version is demanded now and was not before: what to
  // do about it is to be planned. Null: there is nothing to plan.
  ModelRecord* Take(core::LoadDemand demand, ModelRecords& records, Deferred& deferred);
  // Answers those of the model whose version has come, or does not come.
  void AnswerWaiters(ModelRecord& record, Deferred& deferred);
  // Answers those that were cancelled or whose time is up. A version that then nothing needs waits for room no more.
  void Expire(ModelRecords& records, Deferred& deferred);
  // None is taken from here on.
  void Close() { closed_ = true; }
  // Those of the model are told so.
  void RefuseWaiters(ModelRecord& record, Deferred& deferred);

 private:
  void Answer(core::LoadDemand&& demand, core::LoadOutcome outcome, Deferred& deferred);
  void Refuse(core::LoadDemand&& demand, base::Status status, Deferred& deferred);
  // None waits for that version any more.
  static void LetGo(int64_t version, ModelRecord& record);
  void RefuseLate(LoadWaiter&& waiter, const std::string& late, Deferred& deferred);

  const LazyLoading& lazy_;
  const base::Clock& clock_;
  const core::SnapshotPublisher& snapshots_;
  const LazyMetrics& metrics_;
  bool closed_ = false;
};

}  // namespace inferd::repository

#pragma once

#include <memory>
#include <vector>

#include "serving/scheduling/batch/batch_memory.h"
#include "serving/scheduling/batch/execution_context.h"
#include "serving/scheduling/batch/execution_figures.h"
#include "serving/scheduling/instance_pool.h"
#include "serving/scheduling/policy/sharing_limit.h"
#include "serving/scheduling/queue/refusals.h"
#include "serving/scheduling/sequence_lane.h"
#include "serving/scheduling/source/direct_source.h"

namespace inferd::scheduling {

// Strategy "direct": a slot is a fixed row of the instance's executions, which the DirectSource forms.
class DirectLane final : public SequenceLane {
 public:
  struct Parts {
    core::SchedulerParts version;  // with one instance
    std::unique_ptr<VersionMetrics> metrics;
    ExecutionContext context;
    std::vector<InstancePlace> places;
  };
  DirectLane(Parts parts, const SchedulerOptions& options, const SchedulerServices& services);
  ~DirectLane() override;

  size_t slots() const override { return DirectSource::RowsOf(*parts_.version.signature); }
  void Enqueue(core::QueuedRequest&& queued, size_t row) override;
  core::SchedulerReport Report() const override;
  std::vector<core::BatchRecord> RecentExecutions() const override;
  bool RunWoken() override { return pool_.RunWoken(); }

 private:
  const base::Clock& clock_;
  SharingLimit sharing_;
  Parts parts_;  // without the instance and its place, which the pool has
  std::atomic<bool> outputs_count_{false};
  const Refusals refusals_;
  ExecutionFigures figures_ GUARDED_BY(pool_.mutex());
  BatchMemory memory_ GUARDED_BY(pool_.mutex());
  DirectSource source_ GUARDED_BY(pool_.mutex());
  InstancePool pool_;
};

}  // namespace inferd::scheduling

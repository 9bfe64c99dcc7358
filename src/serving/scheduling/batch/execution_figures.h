#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "serving/core/model/scheduler_report.h"
#include "serving/scheduling/batch/batch_log.h"

namespace inferd::scheduling {

// Figures about the executions of one scheduler, for its report and for estimates of the next execution. Not
// thread-safe.
class ExecutionFigures final {
 public:
  // Records a finished execution. `record` is complete except for started_wall_ms.
  void Record(int64_t started_ns, const core::BatchRecord& record);
  // Records the time that an instance waited for shared resources.
  void RecordResourceWait(int64_t waited_ns) { resource_wait_ns_ += waited_ns; }

  // Means per execution, exponentially weighted. mean_service_ns() is 0 before the first execution.
  int64_t mean_service_ns() const { return mean_service_ns_; }
  double mean_requests() const { return mean_requests_; }

  // Fills in the report's fields about executions, except `recent`.
  void Report(core::SchedulerReport& report) const;
  // Returns SchedulerReport::recent. `now_ns` and `wall_ns` are readings of the clock at the same moment.
  std::vector<core::BatchRecord> Recent(int64_t now_ns, int64_t wall_ns) const { return log_.Read(now_ns, wall_ns); }

 private:
  int64_t mean_service_ns_ = 0;
  double mean_requests_ = 1;
  BatchLog log_;
  std::array<uint64_t, core::kBatchReasonCount> by_reason_{};
  int64_t resource_wait_ns_ = 0;
};

}  // namespace inferd::scheduling

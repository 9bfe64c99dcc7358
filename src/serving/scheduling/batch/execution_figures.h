#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "serving/core/model/scheduler_report.h"
#include "serving/scheduling/batch/batch_log.h"

namespace inferd::scheduling {

// What the executions of one scheduler have taken so far: for its report, and for what the next is likely to take. Not
// thread-safe.
class ExecutionFigures final {
 public:
  // One has finished. `record` is complete but for started_wall_ms.
  void Record(int64_t started_ns, const core::BatchRecord& record);
  // An instance has waited for so long for what its model shares with others.
  void RecordResourceWait(int64_t waited_ns) { resource_wait_ns_ += waited_ns; }

  // Of an execution, exponentially weighted; 0: there was none.
  int64_t mean_service_ns() const { return mean_service_ns_; }
  double mean_requests() const { return mean_requests_; }

  // Fills in what the report says of executions; without `recent`.
  void Report(core::SchedulerReport& report) const;
  // SchedulerReport::recent. `now_ns` and `wall_ns`: the clock's, at the same moment.
  std::vector<core::BatchRecord> Recent(int64_t now_ns, int64_t wall_ns) const { return log_.Read(now_ns, wall_ns); }

 private:
  int64_t mean_service_ns_ = 0;
  double mean_requests_ = 1;
  BatchLog log_;
  std::array<uint64_t, core::kBatchReasonCount> by_reason_{};
  int64_t resource_wait_ns_ = 0;
};

}  // namespace inferd::scheduling

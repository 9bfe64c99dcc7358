#include "serving/scheduling/batch/execution_figures.h"

namespace inferd::scheduling {

void ExecutionFigures::Record(int64_t started_ns, const core::BatchRecord& record) {
  mean_service_ns_ =
      mean_service_ns_ == 0 ? record.service_ns : mean_service_ns_ + (record.service_ns - mean_service_ns_) / 8;
  mean_requests_ += (static_cast<double>(record.requests) - mean_requests_) / 8;
  ++by_reason_[static_cast<size_t>(record.reason)];
  log_.Add(started_ns, record);
}

void ExecutionFigures::Report(core::SchedulerReport& report) const {
  report.mean_service_ns = mean_service_ns_;
  report.executions = by_reason_;
  report.resource_wait_ns = resource_wait_ns_;
}

}  // namespace inferd::scheduling

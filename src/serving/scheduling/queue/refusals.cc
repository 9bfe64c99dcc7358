#include "serving/scheduling/queue/refusals.h"

#include <utility>

#include "serving/core/model_version.h"
#include "serving/core/request/request_timeout.h"

namespace inferd::scheduling {

void Refusals::Refuse(core::QueuedRequest& queued, base::Status status, int64_t retry_after_ms) const {
  if (queued.Counts(false)) {
    statistics_.RecordFailure(core::FailureReason::kRejected, clock_.NowNs() - queued.queued_ns, queued.layout.rows);
  }
  queued.Refuse(std::move(status), retry_after_ms);
}

void Refusals::Shed(core::QueuedRequest& queued, int64_t retry_after_ms) const {
  Refuse(queued, base::ResourceExhausted("model '" + model_ + "' has as many requests as it can answer in time"),
         retry_after_ms);
}

void Refusals::Answer(DroppedEntries dropped) const {
  for (auto& [entry, verdict] : dropped) {
    core::QueuedRequest& queued = entry->queued;
    const bool cancelled = verdict == QueueVerdict::kCancel;
    statistics_.AddPending(-1);
    if (queued.Counts(false)) {
      statistics_.RecordFailure(cancelled ? core::FailureReason::kCanceled : core::FailureReason::kRejected,
                                clock_.NowNs() - queued.queued_ns, queued.layout.rows);
    }
    if (verdict == QueueVerdict::kNoThread) {
      queued.Fail(base::ResourceExhausted("the system gives the server no further thread, which model '" + model_ +
                                          "' needs to be executed"));
      continue;
    }
    if (verdict == QueueVerdict::kNoMemory) {
      queued.Fail(base::ResourceExhausted("there is no memory for an execution of model '" + model_ + "'"));
      continue;
    }
    queued.Fail(cancelled ? base::Cancelled("the request was cancelled") : core::RequestTimeout());
  }
}

}  // namespace inferd::scheduling

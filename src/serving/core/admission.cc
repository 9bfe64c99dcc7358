#include "serving/core/admission.h"

#include <utility>

#include "base/memory_shortage.h"
#include "serving/core/model_version.h"
#include "serving/core/request/request_timeout.h"

namespace inferd::core {

base::Status CheckRequest(QueuedRequest& queued, int64_t* retry_after_ms) {
  INFERD_RETURN_IF_ERROR(queued.Validate());
  if (!base::MemoryIsShort() || base::RestoreMemoryReserve()) return base::OkStatus();
  *retry_after_ms = kRefusedRetryAfterMs;
  return base::ResourceExhausted("the server is out of memory");
}

base::Status CheckAwaited(const InferRequest& request, int64_t now_ns) {
  if (request.cancel != nullptr && request.cancel->cancelled()) return base::Cancelled("the request was cancelled");
  return request.deadline_ns != 0 && request.deadline_ns <= now_ns ? RequestTimeout() : base::OkStatus();
}

void Refuse(QueuedRequest&& queued, base::Status status, int64_t retry_after_ms, int64_t now_ns) {
  if (queued.version != nullptr && !queued.warmup) {
    const bool cancelled = status.code() == base::StatusCode::kCancelled;
    queued.version->statistics().RecordFailure(cancelled ? FailureReason::kCanceled : FailureReason::kRejected,
                                               now_ns - queued.queued_ns, queued.layout.rows);
  }
  queued.Refuse(std::move(status), retry_after_ms);
}

}  // namespace inferd::core

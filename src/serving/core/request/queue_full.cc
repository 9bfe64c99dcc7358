#include "serving/core/request/queue_full.h"

#include <string>

namespace inferd::core {

base::Status FailureOf(const InferResponse& response, const QueueFull& queue_full) {
  const base::Status& status = response.status;
  if (status.code() == base::StatusCode::kDeadlineExceeded) return {queue_full.timed_out, status.message()};
  if (status.code() != base::StatusCode::kResourceExhausted || response.retry_after_ms <= 0) return status;
  if (queue_full.text.empty()) return {queue_full.code, status.message()};
  return {queue_full.code, std::string(queue_full.text) + "; " + status.message()};
}

}  // namespace inferd::core

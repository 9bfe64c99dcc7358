#include "serving/scheduling/queue/queue_policy.h"

#include <algorithm>
#include <limits>
#include <string>

namespace inferd::scheduling {

uint32_t QueueSizeMax(const config::QueuePolicy& policy, uint32_t server_default) {
  return policy.queue_size_max == 0 ? server_default : policy.queue_size_max;
}

base::Status CheckTimeout(const config::QueuePolicy& policy, uint64_t request_timeout_us, std::string_view model) {
  const uint64_t set_us = policy.default_timeout_us;
  if (request_timeout_us == 0 || set_us == 0 || request_timeout_us == set_us || policy.allow_timeout_override) {
    return base::OkStatus();
  }
  return base::InvalidArgument("request timeout may not override default_timeout_microseconds " +
                               std::to_string(set_us) + " of model '" + std::string(model) +
                               "' without allow_timeout_override, got " + std::to_string(request_timeout_us));
}

int64_t QueueTimeoutAt(const config::QueuePolicy& policy, uint64_t request_timeout_us, int64_t queued_ns) {
  uint64_t timeout_us = policy.default_timeout_us;
  if (request_timeout_us != 0) {
    if (timeout_us == 0) {
      timeout_us = request_timeout_us;
    } else if (policy.allow_timeout_override) {
      timeout_us = std::min(timeout_us, request_timeout_us);
    }
  }
  if (timeout_us == 0) return 0;
  // A huge timeout must not overflow into a time that has passed.
  constexpr auto kMax = std::numeric_limits<int64_t>::max();
  if (timeout_us > static_cast<uint64_t>(kMax - queued_ns) / 1000) return 0;
  return queued_ns + static_cast<int64_t>(timeout_us) * 1000;
}

QueueVerdict Judge(const config::QueuePolicy& policy, const core::InferRequest& request, int64_t timeout_at_ns,
                   int64_t now_ns) {
  if (request.cancel != nullptr && request.cancel->cancelled()) return QueueVerdict::kCancel;
  if (request.deadline_ns != 0 && request.deadline_ns <= now_ns) return QueueVerdict::kExpire;
  if (timeout_at_ns == 0 || timeout_at_ns > now_ns) return QueueVerdict::kWait;
  return policy.timeout_action == config::TimeoutAction::kDelay ? QueueVerdict::kDelay : QueueVerdict::kExpire;
}

}  // namespace inferd::scheduling

#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "base/status.h"
#include "config/model/model_config.h"
#include "serving/core/request/infer_request.h"

namespace inferd::scheduling {

// The rules of ModelQueuePolicy as pure functions. Times are base::Clock::NowNs.

// The earlier of two times, of which 0 is never.
inline int64_t Earlier(int64_t a_ns, int64_t b_ns) {
  return a_ns == 0 || b_ns == 0 ? std::max(a_ns, b_ns) : std::min(a_ns, b_ns);
}

// How many requests may wait.
uint32_t QueueSizeMax(const config::QueuePolicy& policy, uint32_t server_default);

// Whether a request of `model` may bring this timeout (0: none). INVALID_ARGUMENT: the policy sets another one, and
// allows no override.
base::Status CheckTimeout(const config::QueuePolicy& policy, uint64_t request_timeout_us, std::string_view model);

// When a request has waited for as long as the policy lets it; 0: never. The request's own timeout counts where the
// policy sets none, or allows an override; it can only shorten what the policy sets. (What CheckTimeout refuses counts
// for nothing, as in Triton.)
int64_t QueueTimeoutAt(const config::QueuePolicy& policy, uint64_t request_timeout_us, int64_t queued_ns);

// What becomes of a waiting request.
enum class QueueVerdict {
  kWait,    // it may go on waiting, or run
  kDelay,   // it may run only when nothing else waits
  kExpire,  // DEADLINE_EXCEEDED
  kCancel,  // CANCELLED
  // RESOURCE_EXHAUSTED: no thread could be started that would run it. Not Judge's.
  kNoThread,
  kNoMemory,  // RESOURCE_EXHAUSTED: its inputs have no room beside the others of the execution. Not Judge's.
};
// `timeout_at_ns` from QueueTimeoutAt. A passed deadline of the client's expires the request whatever the policy says.
QueueVerdict Judge(const config::QueuePolicy& policy, const core::InferRequest& request, int64_t timeout_at_ns,
                   int64_t now_ns);

}  // namespace inferd::scheduling

#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "base/status.h"
#include "config/model/model_config.h"
#include "serving/core/request/infer_request.h"

namespace inferd::scheduling {

// The rules of ModelQueuePolicy as pure functions. Times are base::Clock::NowNs.

// Returns the earlier of two times. 0 stands for never.
inline int64_t Earlier(int64_t a_ns, int64_t b_ns) {
  return a_ns == 0 || b_ns == 0 ? std::max(a_ns, b_ns) : std::min(a_ns, b_ns);
}

// Returns the maximum number of waiting requests.
uint32_t QueueSizeMax(const config::QueuePolicy& policy, uint32_t server_default);

// Checks that a request of `model` may bring this timeout (0 if none). INVALID_ARGUMENT if the policy sets another one
// and allows no override.
base::Status CheckTimeout(const config::QueuePolicy& policy, uint64_t request_timeout_us, std::string_view model);

// Returns when a request's time in the queue is over. 0 if never. The request's own timeout counts if the policy sets
// none or allows an override, and it can only shorten the policy's timeout. (A timeout that CheckTimeout refuses is
// ignored, as in Triton.)
int64_t QueueTimeoutAt(const config::QueuePolicy& policy, uint64_t request_timeout_us, int64_t queued_ns);

// The fate of a waiting request.
enum class QueueVerdict {
  kWait,    // it may continue to wait, or run
  kDelay,   // it may run only when nothing else waits
  kExpire,  // DEADLINE_EXCEEDED
  kCancel,  // CANCELLED
  // RESOURCE_EXHAUSTED: no thread could be started to run it. Not returned by Judge().
  kNoThread,
  kNoMemory,  // RESOURCE_EXHAUSTED: no room for its inputs beside the others of its execution. Not from Judge().
};
// Judges a waiting request. `timeout_at_ns` is from QueueTimeoutAt. A client's deadline that has passed expires the
// request under any policy.
QueueVerdict Judge(const config::QueuePolicy& policy, const core::InferRequest& request, int64_t timeout_at_ns,
                   int64_t now_ns);

}  // namespace inferd::scheduling

#pragma once

#include <cstdint>

#include "base/status.h"
#include "serving/core/scheduler.h"

// What is asked of every request before a version's scheduler gets it, a client's as one from inside the server.

namespace inferd::core {

// How soon a request may come again that was refused for want of what others hold: a server with all that it can work
// on is likely to have room again within a second.
constexpr int64_t kRefusedRetryAfterMs = 1000;

// That it fits its version, and that there is memory to work on it. INVALID_ARGUMENT; RESOURCE_EXHAUSTED, with a time
// to retry after.
base::Status CheckRequest(QueuedRequest& queued, int64_t* retry_after_ms);

// That its answer is still waited for. CANCELLED, DEADLINE_EXCEEDED.
base::Status CheckAwaited(const InferRequest& request, int64_t now_ns);

// Answers a request that the scheduler does not get, and counts that if its version is known.
void Refuse(QueuedRequest&& queued, base::Status status, int64_t retry_after_ms, int64_t now_ns);

}  // namespace inferd::core

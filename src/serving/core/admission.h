#pragma once

#include <cstdint>

#include "base/status.h"
#include "serving/core/scheduler.h"

// Checks of every request, from clients or from inside the server, before a version's scheduler gets it.

namespace inferd::core {

// The Retry-After of a request that was refused because others hold the resources: a server at its limit probably has
// room again within a second.
constexpr int64_t kRefusedRetryAfterMs = 1000;

// Checks that the request fits its version, and that there is memory for it. INVALID_ARGUMENT if it does not fit.
// RESOURCE_EXHAUSTED, with a time to retry after, if memory is short.
base::Status CheckRequest(QueuedRequest& queued, int64_t* retry_after_ms);

// Checks that a client still waits for the response. CANCELLED or DEADLINE_EXCEEDED if not.
base::Status CheckAwaited(const InferRequest& request, int64_t now_ns);

// Fails a request that the scheduler does not get, and counts the failure if the version is known.
void Refuse(QueuedRequest&& queued, base::Status status, int64_t retry_after_ms, int64_t now_ns);

}  // namespace inferd::core

#pragma once

#include <chrono>
#include <functional>
#include <stop_token>

#include "base/status.h"

namespace inferd::storage {

// The number of retries of a request that failed with UNAVAILABLE, and the pauses between them.
struct RetryPolicy {
  int attempts = 6;  // consecutive ones without a byte; at least 1
  std::chrono::milliseconds first_pause{200};
  std::chrono::milliseconds pause_max{10'000};
};

// Returns the pause after the failed attempt `attempt` (0 is the first). It doubles, and a part of it is random, so
// that requests that failed together are not retried together. `chance` is in [0, 1).
std::chrono::milliseconds PauseAfter(int attempt, double chance, const RetryPolicy& policy);
// Does the same with a random `chance`.
std::chrono::milliseconds PauseBehind(int attempt, const RetryPolicy& policy);

// Waits for `pause`. Returns false if `stop` was requested before its end.
bool PauseFor(std::chrono::milliseconds pause, const std::stop_token& stop);

// Calls `attempt` until it returns something other than UNAVAILABLE, or the policy's attempts are used up; then returns
// the last error. The count restarts after an attempt for which `progressed()` is true. CANCELLED by `stop`.
base::Status Retry(
    const RetryPolicy& policy, const std::stop_token& stop, const std::function<base::Status()>& attempt,
    const std::function<bool()>& progressed = [] { return false; });

}  // namespace inferd::storage

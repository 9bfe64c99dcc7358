#pragma once

#include <chrono>
#include <functional>
#include <stop_token>

#include "base/status.h"

namespace inferd::storage {

// How often a request is tried again that failed with UNAVAILABLE, and after which pauses.
struct RetryPolicy {
  int attempts = 6;  // in a row without a byte; at least 1
  std::chrono::milliseconds first_pause{200};
  std::chrono::milliseconds pause_max{10'000};
};

// The pause behind the failed attempt `attempt` (0 is the first): it doubles, and a part of it is chance, so that what
// failed together is not tried again together. `chance` is in [0, 1).
std::chrono::milliseconds PauseAfter(int attempt, double chance, const RetryPolicy& policy);
// The same, with chance of its own.
std::chrono::milliseconds PauseBehind(int attempt, const RetryPolicy& policy);

// Waits that long; false: `stop` was requested before.
bool PauseFor(std::chrono::milliseconds pause, const std::stop_token& stop);

// Calls `attempt` until it returns something else than UNAVAILABLE, or the policy's attempts are used up, whose last
// error is returned then. An attempt that `progressed()` says was of use begins the count anew. CANCELLED: `stop`.
base::Status Retry(
    const RetryPolicy& policy, const std::stop_token& stop, const std::function<base::Status()>& attempt,
    const std::function<bool()>& progressed = [] { return false; });

}  // namespace inferd::storage

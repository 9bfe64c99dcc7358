#include "storage/transfer/backoff.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <random>

namespace inferd::storage {

namespace {

double Chance() {
  thread_local std::minstd_rand random{std::random_device{}()};
  return std::uniform_real_distribution<double>(0, 1)(random);
}

}  // namespace

bool PauseFor(std::chrono::milliseconds pause, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any stopped;
  std::unique_lock lock(mutex);
  stopped.wait_for(lock, stop, pause, [] { return false; });
  return !stop.stop_requested();
}

std::chrono::milliseconds PauseAfter(int attempt, double chance, const RetryPolicy& policy) {
  constexpr int kDoublingsMax = 20;
  constexpr double kShareOfChance = 0.5;
  const double doubled =
      static_cast<double>(policy.first_pause.count()) * static_cast<double>(1 << std::clamp(attempt, 0, kDoublingsMax));
  const double longest = std::min(doubled, static_cast<double>(policy.pause_max.count()));
  return std::chrono::milliseconds(static_cast<int64_t>(longest * (1 - kShareOfChance * chance)));
}

std::chrono::milliseconds PauseBehind(int attempt, const RetryPolicy& policy) {
  return PauseAfter(attempt, Chance(), policy);
}

base::Status Retry(const RetryPolicy& policy, const std::stop_token& stop, const std::function<base::Status()>& attempt,
                   const std::function<bool()>& progressed) {
  for (int failed = 0;;) {
    base::Status status = attempt();
    if (status.code() != base::StatusCode::kUnavailable) return status;
    failed = progressed() ? 1 : failed + 1;
    if (failed >= policy.attempts) return status;
    if (!PauseFor(PauseBehind(failed - 1, policy), stop)) return base::Cancelled("the download was cancelled");
  }
}

}  // namespace inferd::storage

#include "base/system/poll_until.h"

#include <poll.h>

#include <algorithm>

namespace inferd::base {

bool PollUntil(int descriptor, short events, std::chrono::steady_clock::time_point deadline) {
  using std::chrono::milliseconds;
  using std::chrono::steady_clock;
  pollfd waited = {.fd = descriptor, .events = events, .revents = 0};
  for (;;) {
    // The deadline may lie further ahead than poll() can wait.
    const auto left = std::min<steady_clock::duration>(deadline - steady_clock::now(), std::chrono::hours(1));
    const auto left_ms = std::chrono::ceil<milliseconds>(left).count();
    if (poll(&waited, 1, std::max(static_cast<int>(left_ms), 0)) > 0) return true;
    if (steady_clock::now() >= deadline) return false;
  }
}

}  // namespace inferd::base

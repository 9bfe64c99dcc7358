#include "kserve/kubernetes/client/request_pacer.h"

#include <algorithm>

namespace inferd::kubernetes {

RequestPacer::RequestPacer(double per_second, int burst)
    : interval_ns_(static_cast<int64_t>(1e9 / per_second)), ahead_max_ns_(interval_ns_ * (burst - 1)) {}

std::chrono::nanoseconds RequestPacer::Take(int64_t now_ns) {
  const base::MutexLock lock(mutex_);
  next_ns_ = std::max(next_ns_, now_ns);
  const int64_t wait_ns = std::max<int64_t>(next_ns_ - ahead_max_ns_ - now_ns, 0);
  next_ns_ += interval_ns_;
  return std::chrono::nanoseconds(wait_ns);
}

}  // namespace inferd::kubernetes

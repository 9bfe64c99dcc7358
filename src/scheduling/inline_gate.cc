#include "scheduling/inline_gate.h"

#include <algorithm>
#include <utility>

namespace inferd::scheduling {

bool InlineGate::Allows(size_t request_bytes) const {
  if (mode_ != config::InlineExecution::kAuto) return mode_ == config::InlineExecution::kAlways;
  return samples_left_ == 0 && mean_ns_ < service_ns_max_ && request_bytes <= fast_bytes_max_;
}

void InlineGate::Record(int64_t service_ns, size_t request_bytes, bool inline_run) {
  // One outlier must not hold the mean up for long.
  const int64_t sample_ns = std::min(service_ns, 4 * service_ns_max_);
  mean_ns_ = mean_ns_ == 0 ? sample_ns : mean_ns_ + (sample_ns - mean_ns_) / 8;
  if (service_ns < service_ns_max_) {
    fast_bytes_max_ = std::max(fast_bytes_max_, request_bytes);
    if (!inline_run && samples_left_ > 0) --samples_left_;
    if (!inline_run || !watching_ || ++fast_runs_ < kQuietRuns) return;
    watching_ = false;
    pause_ = kSamplesMin;
    return;
  }
  if (!inline_run) return;
  fast_runs_ = 0;
  if (!std::exchange(watching_, true)) return;
  samples_left_ = pause_;
  pause_ = std::min(pause_ * 2, kPauseMax);
}

}  // namespace inferd::scheduling

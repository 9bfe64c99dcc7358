#include "scheduling/inline_gate.h"

#include <algorithm>

namespace inferd::scheduling {

bool InlineGate::Allows(size_t request_bytes) const {
  if (mode_ != config::InlineExecution::kAuto) return mode_ == config::InlineExecution::kAlways;
  return samples_left_ == 0 && mean_ns_ < service_ns_max_ && request_bytes <= fast_bytes_max_;
}

void InlineGate::Record(int64_t service_ns, size_t request_bytes, bool inline_run) {
  mean_ns_ = mean_ns_ == 0 ? service_ns : mean_ns_ + (service_ns - mean_ns_) / 8;
  if (inline_run && service_ns >= service_ns_max_) {
    samples_left_ = kSamplesClosed;
    fast_bytes_max_ = 0;
    return;
  }
  if (service_ns < service_ns_max_) fast_bytes_max_ = std::max(fast_bytes_max_, request_bytes);
  if (!inline_run && samples_left_ > 0) --samples_left_;
}

}  // namespace inferd::scheduling

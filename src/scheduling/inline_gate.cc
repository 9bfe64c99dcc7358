#include "scheduling/inline_gate.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace inferd::scheduling {

size_t InlineGate::IndexOf(int64_t rows) {
  const auto further = static_cast<uint64_t>(std::max<int64_t>(rows, 1) - 1);
  return std::min<size_t>(static_cast<size_t>(std::bit_width(further)), kSizes - 1);
}

bool InlineGate::Allows(int64_t rows, size_t request_bytes) const {
  if (mode_ != config::InlineExecution::kAuto) return mode_ == config::InlineExecution::kAlways;
  const Size& size = SizeOf(rows);
  return size.samples_left == 0 && !Slow(size) && request_bytes <= size.fast_bytes_max;
}

int64_t InlineGate::RowsToTake(int64_t rows) const {
  if (mode_ != config::InlineExecution::kAuto) return rows;
  for (size_t index = IndexOf(rows); index > 0; --index) {
    if (!KnownSlow(sizes_[index])) return std::min(rows, int64_t{1} << index);
  }
  return KnownSlow(sizes_[0]) ? rows : 1;
}

void InlineGate::Record(int64_t rows, int64_t service_ns, size_t request_bytes, bool inline_run) {
  Size& size = sizes_[IndexOf(rows)];
  // One outlier must not hold the mean up for long.
  const int64_t sample_ns = std::min(service_ns, 4 * service_ns_max_);
  size.mean_ns = size.mean_ns == 0 ? sample_ns : size.mean_ns + (sample_ns - size.mean_ns) / 8;
  size.runs = std::min(size.runs + 1, kSamplesMin);
  if (service_ns < service_ns_max_) {
    size.fast_bytes_max = std::max(size.fast_bytes_max, request_bytes);
    if (!inline_run && size.samples_left > 0) --size.samples_left;
    if (!inline_run || !size.watching || ++size.fast_runs < kQuietRuns) return;
    size.watching = false;
    size.pause = kSamplesMin;
    return;
  }
  if (!inline_run) return;
  size.fast_runs = 0;
  if (!std::exchange(size.watching, true)) return;
  size.samples_left = size.pause;
  size.pause = std::min(size.pause * 2, kPauseMax);
}

}  // namespace inferd::scheduling

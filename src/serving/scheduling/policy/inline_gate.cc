#include "serving/scheduling/policy/inline_gate.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace inferd::scheduling {

namespace {
// A loop copies this many bytes in about the time of a quick model.
constexpr size_t kPassedBytesMax = 256 * 1024;
}  // namespace

size_t InlineGate::IndexOf(int64_t rows) {
  const auto further = static_cast<uint64_t>(std::max<int64_t>(rows, 1) - 1);
  return std::min<size_t>(static_cast<size_t>(std::bit_width(further)), kSizes - 1);
}

bool InlineGate::Open(size_t index) const {
  return (index > 0 || samples_left_ == 0) && ExpectedNs(index) < service_ns_max_;
}

// Returns the limit while the class is closed. Classes above without measurements then follow it.
int64_t InlineGate::ExpectedNs(size_t index) const {
  const Size& size = sizes_[index];
  if (runs_ < size.closed_until) return service_ns_max_;
  return index == 0 || size.mean_ns > 0 ? size.mean_ns : 2 * ExpectedNs(index - 1);
}

bool InlineGate::NextToMeasured(size_t index) const {
  return index == 0 || sizes_[index].mean_ns > 0 || sizes_[index - 1].mean_ns > 0;
}

bool InlineGate::Allows(int64_t rows, size_t request_bytes) const {
  if (banned_) return false;
  if (mode_ != config::InlineExecution::kAuto) return mode_ == config::InlineExecution::kAlways;
  return Open(0) && Open(IndexOf(rows)) && request_bytes <= fast_bytes_max_;
}

bool InlineGate::AllowsBeginning(size_t request_bytes) const {
  return !banned_ && mode_ == config::InlineExecution::kAuto && request_bytes <= kPassedBytesMax;
}

int64_t InlineGate::RowsToTake(int64_t rows) const {
  if (banned_ || mode_ != config::InlineExecution::kAuto || !Open(0)) return rows;
  size_t index = IndexOf(rows);
  while (!NextToMeasured(index) || !Open(index)) --index;
  return std::min(rows, int64_t{1} << index);
}

void InlineGate::Record(int64_t rows, int64_t service_ns, size_t request_bytes, bool inline_run) {
  ++runs_;
  service_ns -= MovingNs(request_bytes);
  size_t index = IndexOf(rows);
  if (!inline_run && index > 0) {
    // One row does not take longer. But several slow rows off the loop say nothing about one.
    if (service_ns >= service_ns_max_) return;
    index = 0;
  }
  Size& size = sizes_[index];
  // One outlier must not keep the mean high for long.
  const int64_t sample_ns = std::clamp<int64_t>(service_ns, 1, std::max<int64_t>(kOutlier * service_ns_max_, 1));
  size.mean_ns = size.mean_ns == 0 ? sample_ns : size.mean_ns + (sample_ns - size.mean_ns) / 8;
  const bool slow = service_ns >= (index == 0 ? service_ns_max_ : kOutlier * service_ns_max_);
  if (!slow) RecordFast(index, request_bytes, inline_run);
  if (!inline_run) return;
  if (slow) {
    const bool paid = Pay(size, service_ns);
    if (std::exchange(size.watching, true)) {
      // While watching, the measured time is the model's own.
      if (mode_ == config::InlineExecution::kAuto && service_ns / kFarOver >= service_ns_max_) Ban();
      if (!paid) return Close(index);
    }
  }
  if (index > 0 && size.mean_ns >= service_ns_max_) Close(index);
}

bool InlineGate::Pay(Size& size, int64_t service_ns) const {
  const int64_t over_ns = service_ns - service_ns_max_;
  const int64_t price = kFastPerSlow * over_ns / std::max<int64_t>(service_ns_max_, 1);
  const bool paid = size.fast_runs >= price;
  size.fast_runs = paid ? size.fast_runs - static_cast<int>(price) : 0;
  return paid;
}

void InlineGate::RecordFast(size_t index, size_t request_bytes, bool inline_run) {
  Size& size = sizes_[index];
  fast_bytes_max_ = std::max(fast_bytes_max_, request_bytes);
  if (!inline_run && samples_left_ > 0) --samples_left_;
  if (!inline_run) return;
  size.fast_runs = std::min(size.fast_runs + 1, kQuietRuns);
  if (!size.watching || size.fast_runs < kQuietRuns) return;
  size.watching = false;
  size.pause = kSamplesMin;
}

void InlineGate::Close(size_t index) {
  Size& size = sizes_[index];
  if (index == 0) {
    samples_left_ = size.pause;
  } else {
    size.closed_until = runs_ + static_cast<uint64_t>(size.pause);
    size.mean_ns = 0;  // measured anew then
  }
  size.pause = std::min(size.pause * 2, kPauseMax);
}

}  // namespace inferd::scheduling

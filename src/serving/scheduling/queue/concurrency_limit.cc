#include "serving/scheduling/queue/concurrency_limit.h"

#include <algorithm>
#include <cmath>

namespace inferd::scheduling {

namespace {
constexpr double kGradientMin = 0.5;
constexpr int64_t kProbeShare = 4;
constexpr int64_t kNsPerMs = 1'000'000;
}  // namespace

ConcurrencyLimit::ConcurrencyLimit(const config::ConcurrencyOptions& options, bool batches)
    : batches_(batches),
      min_(std::max<int64_t>(options.min, 1)),
      max_(options.max == 0 ? 0 : std::max<int64_t>(options.max, min_)),
      limit_(static_cast<double>(std::clamp(kStart, min_, std::max(max_, min_)))),
      phase_(batches ? Phase::kSteady : Phase::kMeasuring) {}

int64_t ConcurrencyLimit::limit() const {
  if (!active()) return 0;
  const auto whole = static_cast<int64_t>(limit_);
  return phase_ == Phase::kSteady ? whole : std::max(min_, whole / kProbeShare);
}

void ConcurrencyLimit::Record(int64_t latency_ns, int64_t in_flight, bool dropped, int64_t now_ns) {
  if (!active()) return;
  if (phase_ == Phase::kDraining) {
    if (in_flight > limit()) return;
    phase_ = Phase::kMeasuring;
    StartWindow(now_ns);
    return;
  }
  if (started_ns_ == 0) StartWindow(now_ns - latency_ns);
  // Requests from before the measurement waited behind the excess that it now keeps out.
  if (phase_ == Phase::kMeasuring && now_ns - latency_ns < started_ns_) return;
  most_in_flight_ = std::max(most_in_flight_, in_flight);
  if (dropped) {
    ++dropped_count_;
  } else {
    samples_[sample_count_++ % samples_.size()] = latency_ns;
  }
  if (WindowIsOver(now_ns)) EndWindow(now_ns);
}

void ConcurrencyLimit::RecordBatch(int64_t executing, int64_t left) {
  executing_sum_ += executing;
  left_sum_ += left;
}

void ConcurrencyLimit::StartWindow(int64_t now_ns) {
  started_ns_ = now_ns;
  most_in_flight_ = 0;
  sample_count_ = 0;
  dropped_count_ = 0;
  executing_sum_ = left_sum_ = 0;
}

bool ConcurrencyLimit::WindowIsOver(int64_t now_ns) const {
  if (sample_count_ + dropped_count_ < kSamplesMin) return false;
  // A change of the limit shows only in requests that were admitted after it.
  return phase_ == Phase::kMeasuring || now_ns - started_ns_ >= 2 * latency_ns_;
}

int64_t ConcurrencyLimit::Median() {
  const auto count = static_cast<std::ptrdiff_t>(std::min(sample_count_, samples_.size()));
  if (count == 0) return 0;
  const auto middle = samples_.begin() + count / 2;
  std::nth_element(samples_.begin(), middle, samples_.begin() + count);
  return std::max<int64_t>(*middle, 1);
}

void ConcurrencyLimit::EndWindow(int64_t now_ns) {
  const int64_t median_ns = Median();
  if (phase_ == Phase::kMeasuring && median_ns > 0) {
    base_ns_ = latency_ns_ = median_ns;
    based_ns_ = now_ns;
    phase_ = Phase::kSteady;
  } else {
    Adapt(median_ns, now_ns);
  }
  StartWindow(now_ns);
}

double ConcurrencyLimit::LatencyGradient(int64_t median_ns) {
  if (median_ns == 0) return kGradientMin;
  base_ns_ = base_ns_ == 0 ? median_ns : std::min(base_ns_, median_ns);
  const double allowed_ns = kTolerance * static_cast<double>(base_ns_);
  return std::clamp(allowed_ns / static_cast<double>(median_ns), kGradientMin, 1.0);
}

double ConcurrencyLimit::BatchGradient() const {
  if (left_sum_ == 0) return kBatchTolerance;
  const auto executing = static_cast<double>(executing_sum_);
  return std::max(kBatchTolerance * executing / (executing + static_cast<double>(left_sum_)), kGradientMin);
}

void ConcurrencyLimit::Adapt(int64_t median_ns, int64_t now_ns) {
  if (median_ns > 0) latency_ns_ = median_ns;
  double gradient = batches_ ? BatchGradient() : LatencyGradient(median_ns);
  // Requests that expire in the queue are certainly late.
  if (dropped_count_ * 2 > sample_count_) gradient = kGradientMin;

  if (gradient >= 1 && most_in_flight_ * 2 < static_cast<int64_t>(limit_)) {
    based_ns_ = now_ns;
    return;
  }
  const double wanted = limit_ * gradient + std::sqrt(limit_);
  limit_ = std::clamp(limit_ + kSmoothing * (wanted - limit_), static_cast<double>(min_), static_cast<double>(max_));
  if (gradient >= 1) {
    based_ns_ = now_ns;
  } else if (!batches_ && now_ns - based_ns_ >= kBaseAgeNs) {
    phase_ = Phase::kDraining;
  }
}

int64_t ConcurrencyLimit::RetryAfterMs(int64_t in_flight) const {
  const int64_t allowed = std::max<int64_t>(limit(), 1);
  const int64_t over = std::max<int64_t>(in_flight - allowed + 1, 1);
  const double wait_ns = static_cast<double>(latency_ns_) * static_cast<double>(over) / static_cast<double>(allowed);
  const double ceiling_ms = std::ceil(std::min(wait_ns / kNsPerMs, static_cast<double>(kRetryAfterMsMax)));
  return std::max<int64_t>(static_cast<int64_t>(ceiling_ms), 1);
}

}  // namespace inferd::scheduling

#include "kserve/model/scale/metric_window.h"

#include <algorithm>

namespace inferd::model {

namespace {

int64_t SecondOf(ScaleTime time) { return std::chrono::floor<std::chrono::seconds>(time).count(); }

}  // namespace

MetricWindow::MetricWindow(ScaleTime length)
    : buckets_(static_cast<size_t>(std::max<int64_t>(std::chrono::ceil<std::chrono::seconds>(length).count(), 1))) {}

void MetricWindow::Record(ScaleTime now, double value) {
  const int64_t second = SecondOf(now);
  if (first_s_ < 0) first_s_ = last_s_ = second;
  if (second < last_s_ - SecondsOf()) return;
  for (int64_t gap = std::max(last_s_ + 1, second - SecondsOf() + 1); gap <= second; ++gap) {
    buckets_[static_cast<size_t>(gap % SecondsOf())] = 0;
  }
  last_s_ = std::max(last_s_, second);
  buckets_[static_cast<size_t>(second % SecondsOf())] += value;
}

double MetricWindow::Average(ScaleTime now) const {
  if (first_s_ < 0) return 0;
  const int64_t second = std::max(SecondOf(now), last_s_);
  const int64_t begin = std::max(second - SecondsOf() + 1, first_s_);
  double sum = 0;
  for (int64_t at = begin; at <= last_s_; ++at) sum += buckets_[static_cast<size_t>(at % SecondsOf())];
  return sum / static_cast<double>(second - begin + 1);
}

bool MetricWindow::IsEmpty(ScaleTime now) const { return first_s_ < 0 || SecondOf(now) - last_s_ >= SecondsOf(); }

void MaximumWindow::Record(ScaleTime now, int64_t value) {
  std::erase_if(entries_, [&](const Entry& entry) { return entry.time + length_ <= now || entry.value <= value; });
  entries_.push_back({now, value});
}

int64_t MaximumWindow::Maximum(ScaleTime now) const {
  const auto current = std::ranges::find_if(
      entries_, [&](const Entry& entry) { return entry.time + length_ > now || &entry == &entries_.back(); });
  return current == entries_.end() ? 0 : current->value;
}

}  // namespace inferd::model

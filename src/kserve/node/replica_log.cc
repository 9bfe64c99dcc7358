#include "kserve/node/replica_log.h"

#include <algorithm>

namespace inferd::node {

namespace {

constexpr size_t kLastBytesMax = 2048;
constexpr int kLastLinesMax = 80;
constexpr std::chrono::seconds kMomentApart{1};

}  // namespace

void ReplicaLog::BeginProcess() {
  const base::MutexLock lock(mutex_);
  previous_ = current_;
  current_ = begin_ + text_.size();
}

void ReplicaLog::Append(std::string_view text, Time now) {
  const base::MutexLock lock(mutex_);
  if (moments_.empty() || now - moments_.back().time >= kMomentApart) {
    moments_.push_back({.place = begin_ + text_.size(), .time = now});
    if (moments_.size() > kMomentsMax) moments_.pop_front();
  }
  text_ += text;
  // Cut rarely, because each cut moves the whole text.
  if (text_.size() <= 2 * kBytesMax) return;
  size_t cut = text_.size() - kBytesMax;
  // Cut at the end of a line, if there is one.
  if (const size_t line = text_.find('\n', cut); line != std::string::npos) cut = line + 1;
  begin_ += cut;
  text_.erase(0, cut);
  while (moments_.size() > 1 && moments_[1].place <= begin_) moments_.pop_front();
}

void ReplicaLog::End() {
  const base::MutexLock lock(mutex_);
  ended_ = true;
}

ReplicaLog::Part ReplicaLog::Read(uint64_t from) const {
  const base::MutexLock lock(mutex_);
  const uint64_t end = begin_ + text_.size();
  from = std::clamp(from, begin_, end);
  auto first = std::ranges::upper_bound(moments_, from, {}, &Moment::place);
  if (first != moments_.begin()) --first;
  return {.text = text_.substr(static_cast<size_t>(from - begin_)),
          .next = end,
          .ended = ended_,
          .moments = {first, moments_.end()}};
}

uint64_t ReplicaLog::end() const {
  const base::MutexLock lock(mutex_);
  return begin_ + text_.size();
}

ReplicaLog::Span ReplicaLog::Current() const {
  const base::MutexLock lock(mutex_);
  return {.begin = current_.value_or(0), .end = std::nullopt};
}

std::optional<ReplicaLog::Span> ReplicaLog::Previous() const {
  const base::MutexLock lock(mutex_);
  if (!previous_.has_value()) return std::nullopt;
  return Span{.begin = *previous_, .end = current_};
}

uint64_t ReplicaLog::PlaceAt(Time time) const {
  const base::MutexLock lock(mutex_);
  const auto found = std::ranges::find_if(moments_, [&](const Moment& moment) { return moment.time >= time; });
  if (found == moments_.end()) return begin_ + text_.size();
  return found == moments_.begin() ? begin_ : found->place;
}

std::string LastLines(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
  if (text.size() > kLastBytesMax) {
    text.remove_prefix(text.size() - kLastBytesMax);
    if (const size_t line = text.find('\n'); line != std::string_view::npos) text.remove_prefix(line + 1);
  }
  size_t begin = text.size();
  for (int line = 0; line < kLastLinesMax && begin != 0; ++line) {
    const size_t before = text.rfind('\n', begin - 1);
    begin = before == std::string_view::npos ? 0 : before;
  }
  text.remove_prefix(begin);
  if (text.starts_with('\n')) text.remove_prefix(1);
  return std::string(text);
}

}  // namespace inferd::node

#include "node/replica_log.h"

#include <algorithm>

namespace inferd::node {

namespace {

constexpr size_t kLastBytesMax = 2048;
constexpr int kLastLinesMax = 80;

}  // namespace

void ReplicaLog::Append(std::string_view text) {
  const base::MutexLock lock(mutex_);
  text_ += text;
  // Rarely, so that not each line moves all others.
  if (text_.size() <= 2 * kBytesMax) return;
  size_t cut = text_.size() - kBytesMax;
  // At the end of a line, if there is one.
  if (const size_t line = text_.find('\n', cut); line != std::string::npos) cut = line + 1;
  begin_ += cut;
  text_.erase(0, cut);
}

void ReplicaLog::End() {
  const base::MutexLock lock(mutex_);
  ended_ = true;
}

ReplicaLog::Part ReplicaLog::Read(uint64_t from) const {
  const base::MutexLock lock(mutex_);
  const uint64_t end = begin_ + text_.size();
  from = std::clamp(from, begin_, end);
  return {.text = text_.substr(static_cast<size_t>(from - begin_)), .next = end, .ended = ended_};
}

uint64_t ReplicaLog::end() const {
  const base::MutexLock lock(mutex_);
  return begin_ + text_.size();
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

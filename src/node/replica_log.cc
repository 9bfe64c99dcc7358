#include "node/replica_log.h"

#include <algorithm>

namespace inferd::node {

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

}  // namespace inferd::node

#include "base/memory/free_ranges.h"

#include <iterator>

namespace inferd::base {

std::optional<size_t> FreeRanges::Take(size_t bytes) {
  auto it = free_.begin();
  while (it != free_.end() && it->second < bytes) ++it;
  if (it == free_.end()) return std::nullopt;
  const auto [offset, size] = *it;
  free_.erase(it);
  if (size > bytes) free_[offset + bytes] = size - bytes;
  return offset;
}

void FreeRanges::Give(size_t offset, size_t bytes) {
  auto [at, added] = free_.emplace(offset, bytes);
  const auto next = std::next(at);
  if (next != free_.end() && at->first + at->second == next->first) {
    at->second += next->second;
    free_.erase(next);
  }
  if (at == free_.begin()) return;
  const auto before = std::prev(at);
  if (before->first + before->second != at->first) return;
  before->second += at->second;
  free_.erase(at);
}

}  // namespace inferd::base

#pragma once

#include <cstddef>
#include <numeric>
#include <vector>

namespace inferd::scheduling {

// Returns the engine's indices of a signature's `count` tensors: `given`, or the signature's own if `given` is empty.
inline std::vector<int> Numbering(const std::vector<int>& given, size_t count) {
  if (!given.empty()) return given;
  std::vector<int> same(count);
  std::iota(same.begin(), same.end(), 0);
  return same;
}

}  // namespace inferd::scheduling

#pragma once

#include <cmath>
#include <cstdint>

#include "engines/forest/model/forest.h"

namespace inferd::forest {

// Returns true if a value's category is in the set of `words` words. A value between -1 and 0 is category 0, or in no
// category.
template <typename Feature>
bool IsInSet(const uint32_t* set, uint32_t words, bool fraction_is_zero, Feature value) {
  if (fraction_is_zero ? !(value > -1) : !(value >= 0)) return false;
  if (!(value < static_cast<Feature>(uint64_t{words} * 32))) return false;
  const auto category = static_cast<uint32_t>(value);
  return ((set[category / 32] >> (category % 32)) & 1U) != 0;
}

// Decides whether `node` of `tree`, which must not be a leaf, sends the value to the left.
inline bool GoesLeft(const Tree& tree, const Node& node, double value) {
  if (std::isnan(value) || (node.zero_is_missing && std::abs(value) <= kZeroThreshold)) return node.default_left;
  switch (node.split) {
    case Split::kLess: return value < node.threshold;
    case Split::kLessEqual: return value <= node.threshold;
    default: {
      const CategorySet& set = tree.sets[node.index];
      return IsInSet(set.data(), static_cast<uint32_t>(set.size()), node.fraction_is_zero, value);
    }
  }
}

}  // namespace inferd::forest

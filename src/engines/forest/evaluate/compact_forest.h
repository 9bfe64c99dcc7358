#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engines/forest/model/forest.h"

namespace inferd::forest {

// A node in the form for walks. Its children are adjacent, so that a step is an addition: to `left`, or one further. A
// leaf points to itself, so that walks of different lengths can take the same number of steps.
template <typename Feature>
struct CompactNode {
  static constexpr uint32_t kDefaultLeft = 1U << 31;
  static constexpr uint32_t kSpecial = 1U << 30;  // `payload` is an index in CompactForest::specials
  static constexpr uint32_t kFeature = kSpecial - 1;

  Feature threshold;  // goes left if the feature is less
  uint32_t feature;   // also contains the flags
  uint32_t left;      // index in CompactForest::nodes
  uint32_t payload;   // for a leaf: the index of its first value in CompactForest::leaf_values
};

// The properties of a split beyond a comparison.
struct SpecialSplit {
  bool categorical = false;
  bool always_left = false;  // unless the value is missing
  bool zero_is_missing = false;
  bool fraction_is_zero = false;
  bool default_left = false;
  uint32_t set = 0;       // first index in CompactForest::sets
  uint32_t set_size = 0;  // in words
};

struct CompactTree {
  uint32_t root = 0;
  uint32_t steps = 0;  // to the deepest leaf
  uint32_t group = 0;
  uint32_t width = 1;  // values per leaf
};

// A forest laid out for walks by rows of `Feature`, with leaves that are summed as `Sum`: each tree's nodes are ordered
// by their distance from the root. All comparisons are "less than", with the same results as the forest's own: x <= t
// is x < the next number after t.
template <typename Feature, typename Sum>
struct CompactForest {
  explicit CompactForest(const Forest& forest);  // must have been checked; its linear leaves are not moved

  std::vector<CompactNode<Feature>> nodes;
  std::vector<CompactTree> trees;
  std::vector<SpecialSplit> specials;
  std::vector<uint32_t> sets;  // words of SpecialSplit
  std::vector<Sum> leaf_values;
  std::vector<int32_t> leaf_numbers;      // by node: a leaf's number in the file
  std::vector<const LinearLeaf*> linear;  // by node, in the forest; empty if all leaves are plain
};

extern template struct CompactForest<float, float>;
extern template struct CompactForest<float, double>;
extern template struct CompactForest<double, double>;

}  // namespace inferd::forest

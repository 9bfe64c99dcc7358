#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engines/forest/model/forest.h"

namespace inferd::forest {

// A node as walks read it. Its children lie side by side, so that a step is an addition: on to `left`, or one further.
// A leaf leads to itself, so that walks of different lengths take the same steps.
template <typename Feature>
struct CompactNode {
  static constexpr uint32_t kDefaultLeft = 1U << 31;
  static constexpr uint32_t kSpecial = 1U << 30;  // `payload` is a place in CompactForest::specials
  static constexpr uint32_t kFeature = kSpecial - 1;

  Feature threshold;  // left where the feature is less
  uint32_t feature;   // and the flags
  uint32_t left;      // in CompactForest::nodes
  uint32_t payload;   // of a leaf: where its values begin in CompactForest::leaf_values
};

// What a comparison does not say.
struct SpecialSplit {
  bool categorical = false;
  bool always_left = false;  // unless the value is missing
  bool zero_is_missing = false;
  bool fraction_is_zero = false;
  bool default_left = false;
  uint32_t set = 0;       // begin in CompactForest::sets
  uint32_t set_size = 0;  // words
};

struct CompactTree {
  uint32_t root = 0;
  uint32_t steps = 0;  // to the deepest leaf
  uint32_t group = 0;
  uint32_t width = 1;  // values of a leaf
};

// A forest laid out to be walked by rows of `Feature`, with leaves to be added as `Sum`: the nodes of a tree by their
// distance from the root. All comparisons are "less than", and decide as the forest's own do: x <= t is x < the next
// number after t.
template <typename Feature, typename Sum>
struct CompactForest {
  explicit CompactForest(const Forest& forest);  // which was checked; its linear leaves stay where they are

  std::vector<CompactNode<Feature>> nodes;
  std::vector<CompactTree> trees;
  std::vector<SpecialSplit> specials;
  std::vector<uint32_t> sets;  // words of SpecialSplit
  std::vector<Sum> leaf_values;
  std::vector<int32_t> leaf_numbers;      // by node: of a leaf, its number in the file
  std::vector<const LinearLeaf*> linear;  // by node, in the forest; empty: all leaves are plain
};

extern template struct CompactForest<float, float>;
extern template struct CompactForest<float, double>;
extern template struct CompactForest<double, double>;

}  // namespace inferd::forest

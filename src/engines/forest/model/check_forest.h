#pragma once

#include "base/status.h"
#include "engines/forest/model/forest.h"

namespace inferd::forest {

// The largest forest that is taken; a file that says more is wrong, or is no use on any machine.
inline constexpr size_t kTreesMax = 1 << 20;
inline constexpr size_t kNodesMax = 1 << 28;               // of all trees
inline constexpr size_t kLeafValuesMax = size_t{1} << 30;  // of all trees
inline constexpr int32_t kFeaturesMax = 1 << 24;
inline constexpr int32_t kGroupsMax = 1 << 16;
inline constexpr int kDepthMax = 4096;
inline constexpr uint32_t kCategoriesMax = 1 << 24;  // of a feature; more, and a float32 does not tell them apart

// Whether the forest can be evaluated: every child is there, no node has two parents (so that every walk ends),
// features, leaves, sets and groups are in their ranges, no threshold is NaN, no limit is passed. INVALID_ARGUMENT,
// with the tree and node.
base::Status CheckForest(const Forest& forest);

// The longest way from the root to a leaf, in steps, of a tree that was checked.
int DepthOf(const Tree& tree);

}  // namespace inferd::forest

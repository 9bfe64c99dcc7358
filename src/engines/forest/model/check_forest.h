#pragma once

#include "base/status.h"
#include "engines/forest/model/forest.h"

namespace inferd::forest {

// The limits of a forest. A file that claims more is wrong, or cannot be used on any machine.
inline constexpr size_t kTreesMax = 1 << 20;
inline constexpr size_t kNodesMax = 1 << 28;               // of all trees
inline constexpr size_t kLeafValuesMax = size_t{1} << 30;  // of all trees
inline constexpr int32_t kFeaturesMax = 1 << 24;
inline constexpr int32_t kGroupsMax = 1 << 16;
inline constexpr int kDepthMax = 4096;
inline constexpr uint32_t kCategoriesMax = 1 << 24;  // of a feature; a float32 cannot distinguish more

// Checks that the forest can be evaluated: every child exists, no node has two parents (so that every walk ends),
// features, leaves, sets and groups are in range, no threshold is NaN, and no limit is exceeded. INVALID_ARGUMENT names
// the tree and the node.
base::Status CheckForest(const Forest& forest);

// Returns the longest path from the root to a leaf, in steps, of a checked tree.
int DepthOf(const Tree& tree);

}  // namespace inferd::forest

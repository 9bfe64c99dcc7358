#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "engines/forest/evaluate/compact_forest.h"
#include "engines/forest/evaluate/decide.h"

namespace inferd::forest {

// The number of walks that run side by side: each step waits for memory, and for the step before.
inline constexpr size_t kLanes = 16;

// The lanes' start nodes, and later their end nodes.
struct Lanes {
  uint32_t at[kLanes];
};

// Returns true if the walk goes to the right child.
template <typename Feature>
bool GoesRight(const SpecialSplit& split, const uint32_t* sets, Feature threshold, Feature value) {
  const bool missing = std::isnan(value) || (split.zero_is_missing && std::abs(value) <= Feature(kZeroThreshold));
  if (missing) return !split.default_left;
  if (split.categorical) return !IsInSet(sets + split.set, split.set_size, split.fraction_is_zero, value);
  return !split.always_left && !(value < threshold);
}

// Walks all lanes to their leaves, which are at most `steps` away. The rows of two lanes are `stride` features apart; 0
// if all lanes have the same row. kMissing: rows may have NaN. kSpecial: the forest has specials.
template <bool kMissing, bool kSpecial, typename Feature, typename Sum>
void Walk(const CompactForest<Feature, Sum>& forest, const Feature* rows, size_t stride, uint32_t steps, Lanes* lanes) {
  using Compact = CompactNode<Feature>;
  constexpr uint32_t kStepsTogether = 4;  // deep trees' walks mostly end early: checked after this many steps
  const Compact* const nodes = forest.nodes.data();
  Lanes now = *lanes;
  for (uint32_t done = 0; done < steps;) {
    const uint32_t stop = steps <= 2 * kStepsTogether ? steps : std::min(steps, done + kStepsTogether);
    uint32_t moved = 0;
    for (; done < stop; ++done) {
      moved = 0;
      for (size_t i = 0; i < kLanes; ++i) {
        const Compact& node = nodes[now.at[i]];
        const Feature value = rows[i * stride + (node.feature & Compact::kFeature)];
        uint32_t right = !(value < node.threshold);
        if constexpr (kMissing) {
          const uint32_t stays_left = static_cast<uint32_t>(value != value) & (node.feature / Compact::kDefaultLeft);
          right &= ~stays_left;
        }
        if constexpr (kSpecial) {
          if ((node.feature & Compact::kSpecial) != 0) {
            right = GoesRight(forest.specials[node.payload], forest.sets.data(), node.threshold, value);
          }
        }
        const uint32_t next = node.left + right;
        moved |= next ^ now.at[i];
        now.at[i] = next;
      }
    }
    if (moved == 0) break;
  }
  *lanes = now;
}

}  // namespace inferd::forest

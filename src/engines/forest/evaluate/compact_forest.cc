#include "engines/forest/evaluate/compact_forest.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "engines/forest/model/check_forest.h"

namespace inferd::forest {

namespace {

// Returns the least number t' of type Feature such that x < t' equals the split's decision for every x of type Feature.
// There is none if even infinity goes left.
template <typename Feature>
Feature LessThan(const Node& node) {
  constexpr Feature kInfinity = std::numeric_limits<Feature>::infinity();
  auto rounded = static_cast<Feature>(node.threshold);
  if (node.split == Split::kLessEqual) {
    if (static_cast<double>(rounded) > node.threshold) rounded = std::nextafter(rounded, -kInfinity);
    return std::nextafter(rounded, kInfinity);
  }
  // For x < t with a t between two numbers of the type: takes the higher one.
  if (static_cast<double>(rounded) < node.threshold) rounded = std::nextafter(rounded, kInfinity);
  return rounded;
}

bool AlwaysGoesLeft(const Node& node) {
  return node.split == Split::kLessEqual && node.threshold == std::numeric_limits<double>::infinity();
}

bool IsSpecial(const Node& node) {
  return node.split == Split::kCategories || node.zero_is_missing || AlwaysGoesLeft(node);
}

// Appends one tree.
template <typename Feature, typename Sum>
class Compactor final {
 public:
  using To = CompactForest<Feature, Sum>;

  Compactor(const Forest& forest, const Tree& tree, To* to) : forest_(forest), tree_(tree), to_(*to) {}

  void Run() {
    const auto root = static_cast<uint32_t>(to_.nodes.size());
    to_.trees.push_back({.root = root,
                         .steps = static_cast<uint32_t>(DepthOf(tree_)),
                         .group = static_cast<uint32_t>(tree_.group),
                         .width = tree_.leaf_width});
    AddSets();
    values_ = static_cast<uint32_t>(to_.leaf_values.size());
    for (const double value : tree_.leaf_values) to_.leaf_values.push_back(static_cast<Sum>(value));
    std::vector<int32_t> order = {0};  // ordered by distance from the root; grows during the pass
    for (size_t i = 0; i < order.size(); ++i) {
      const Node& node = tree_.nodes[order[i]];
      if (node.split == Split::kLeaf) {
        AddLeaf(node, order[i]);
        continue;
      }
      AddSplit(node, root + static_cast<uint32_t>(order.size()));
      order.push_back(node.left);
      order.push_back(node.right);
    }
  }

 private:
  void AddLeaf(const Node& node, int32_t at) {
    // Nothing is less than minus infinity, and a missing value does not go left: the walk stays.
    to_.nodes.push_back({.threshold = -std::numeric_limits<Feature>::infinity(),
                         .feature = 0,
                         .left = static_cast<uint32_t>(to_.nodes.size()) - 1,
                         .payload = values_ + node.index * tree_.leaf_width});
    to_.leaf_numbers.push_back(forest_.leaves_are_nodes ? at : static_cast<int32_t>(node.index));
    AddLinear(tree_.linear.empty() ? nullptr : &tree_.linear[node.index]);
  }

  void AddSplit(const Node& node, uint32_t left) {
    using Compact = CompactNode<Feature>;
    uint32_t feature = static_cast<uint32_t>(node.feature);
    uint32_t payload = 0;
    if (node.default_left) feature |= Compact::kDefaultLeft;
    if (IsSpecial(node)) {
      feature |= Compact::kSpecial;
      payload = static_cast<uint32_t>(to_.specials.size());
      AddSpecial(node);
    }
    const Feature threshold = node.split == Split::kCategories ? Feature{0} : LessThan<Feature>(node);
    to_.nodes.push_back({.threshold = threshold, .feature = feature, .left = left, .payload = payload});
    to_.leaf_numbers.push_back(-1);
    AddLinear(nullptr);
  }

  void AddSpecial(const Node& node) {
    SpecialSplit& special = to_.specials.emplace_back();
    special.zero_is_missing = node.zero_is_missing;
    special.default_left = node.default_left;
    special.fraction_is_zero = node.fraction_is_zero;
    special.categorical = node.split == Split::kCategories;
    special.always_left = AlwaysGoesLeft(node);
    if (!special.categorical) return;
    special.set = sets_[node.index];
    special.set_size = static_cast<uint32_t>(tree_.sets[node.index].size());
  }

  // Adds each of the tree's sets once, however many nodes use it.
  void AddSets() {
    for (const CategorySet& set : tree_.sets) {
      sets_.push_back(static_cast<uint32_t>(to_.sets.size()));
      to_.sets.insert(to_.sets.end(), set.begin(), set.end());
    }
  }

  void AddLinear(const LinearLeaf* leaf) {
    if (leaf != nullptr) to_.linear.resize(to_.nodes.size());
    if (leaf != nullptr) to_.linear.back() = leaf;
  }

  const Forest& forest_;
  const Tree& tree_;
  To& to_;
  uint32_t values_ = 0;         // index of the tree's first value
  std::vector<uint32_t> sets_;  // index of each set's first word
};

}  // namespace

template <typename Feature, typename Sum>
CompactForest<Feature, Sum>::CompactForest(const Forest& forest) {
  size_t count = 0;
  for (const Tree& tree : forest.trees) count += tree.nodes.size();
  nodes.reserve(count);
  leaf_numbers.reserve(count);
  for (const Tree& tree : forest.trees) Compactor<Feature, Sum>(forest, tree, this).Run();
  if (!linear.empty()) linear.resize(nodes.size());
}

template struct CompactForest<float, float>;
template struct CompactForest<float, double>;
template struct CompactForest<double, double>;

}  // namespace inferd::forest

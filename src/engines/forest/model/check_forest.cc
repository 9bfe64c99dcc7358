#include "engines/forest/model/check_forest.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace inferd::forest {

namespace {

base::Status WrongNode(size_t node, const std::string& what) {
  return base::InvalidArgument("node " + std::to_string(node) + " " + what);
}

bool IsIn(int64_t value, size_t size) { return value >= 0 && std::cmp_less(value, size); }

base::Status CheckLinear(const LinearLeaf& leaf, const Forest& forest, size_t at) {
  if (leaf.features.size() != leaf.coefficients.size())
    return WrongNode(at, "has not one coefficient for each feature");
  for (const int32_t feature : leaf.features) {
    if (!IsIn(feature, forest.features))
      return WrongNode(at, "has feature " + std::to_string(feature) + " in its leaf");
  }
  return {};
}

base::Status CheckNode(const Forest& forest, const Tree& tree, size_t at) {
  const Node& node = tree.nodes[at];
  if (node.split == Split::kLeaf) {
    if (!IsIn(node.index, tree.leaf_values.size() / tree.leaf_width)) return WrongNode(at, "is a leaf without a value");
    if (tree.linear.empty()) return {};
    if (!IsIn(node.index, tree.linear.size())) return WrongNode(at, "is a leaf without coefficients");
    return CheckLinear(tree.linear[node.index], forest, at);
  }
  if (!IsIn(node.left, tree.nodes.size()) || !IsIn(node.right, tree.nodes.size())) {
    return WrongNode(at, "has children " + std::to_string(node.left) + " and " + std::to_string(node.right) + ", of " +
                             std::to_string(tree.nodes.size()) + " nodes");
  }
  if (!IsIn(node.feature, forest.features)) {
    return WrongNode(at,
                     "splits by feature " + std::to_string(node.feature) + ", of " + std::to_string(forest.features));
  }
  if (node.split == Split::kCategories) {
    if (!IsIn(node.index, tree.sets.size())) return WrongNode(at, "has no set of categories");
    if (tree.sets[node.index].size() > kCategoriesMax / 32) return WrongNode(at, "has a category that is too large");
    return {};
  }
  return std::isnan(node.threshold) ? WrongNode(at, "has a threshold that is no number") : base::OkStatus();
}

// Walks the whole tree, visiting each node once at most.
base::Status CheckTree(const Forest& forest, const Tree& tree) {
  if (tree.nodes.empty()) return base::InvalidArgument("has no node");
  if (!IsIn(tree.group, forest.groups)) {
    return base::InvalidArgument("adds to output " + std::to_string(tree.group) + ", of " +
                                 std::to_string(forest.groups));
  }
  if (tree.leaf_width != 1 && std::cmp_not_equal(tree.leaf_width, forest.groups)) {
    return base::InvalidArgument("has leaves of " + std::to_string(tree.leaf_width) + " values, for " +
                                 std::to_string(forest.groups) + " outputs");
  }
  std::vector<bool> seen(tree.nodes.size());
  std::vector<std::pair<size_t, int>> open = {{0, 0}};
  while (!open.empty()) {
    const auto [at, depth] = open.back();
    open.pop_back();
    if (seen[at]) return WrongNode(at, "has two parents, or is its own ancestor");
    seen[at] = true;
    if (depth > kDepthMax) return WrongNode(at, "is deeper than " + std::to_string(kDepthMax));
    INFERD_RETURN_IF_ERROR(CheckNode(forest, tree, at));
    const Node& node = tree.nodes[at];
    if (node.split == Split::kLeaf) continue;
    open.emplace_back(node.right, depth + 1);
    open.emplace_back(node.left, depth + 1);
  }
  return {};
}

base::Status CheckSize(const char* what, size_t size, size_t least, size_t most) {
  if (size >= least && size <= most) return {};
  return base::InvalidArgument("it has " + std::to_string(size) + " " + what + ", from " + std::to_string(least) +
                               " to " + std::to_string(most) + " are taken");
}

}  // namespace

base::Status CheckForest(const Forest& forest) {
  INFERD_RETURN_IF_ERROR(CheckSize("features", std::max(forest.features, 0), 1, kFeaturesMax));
  INFERD_RETURN_IF_ERROR(CheckSize("outputs", std::max(forest.groups, 0), 1, kGroupsMax));
  INFERD_RETURN_IF_ERROR(CheckSize("trees", forest.trees.size(), 0, kTreesMax));
  const auto groups = static_cast<size_t>(forest.groups);
  const auto fits = [groups](const std::vector<double>& list) { return list.empty() || list.size() == groups; };
  if (forest.start.size() != groups || !fits(forest.divisor) || !fits(forest.end)) {
    return base::InvalidArgument("it has not one base score for each of its " + std::to_string(groups) + " outputs");
  }
  if (!forest.weights.empty() && forest.weights.size() != (static_cast<size_t>(forest.features) + 1) * groups) {
    return base::InvalidArgument("it has " + std::to_string(forest.weights.size()) + " weights, for " +
                                 std::to_string(forest.features) + " features and a bias of each of its " +
                                 std::to_string(groups) + " outputs");
  }
  if (forest.classes < 1 || forest.groups % forest.classes != 0) {
    return base::InvalidArgument("its outputs are no multiple of its " + std::to_string(forest.classes) + " classes");
  }
  size_t nodes = 0;
  size_t leaf_values = 0;
  for (size_t i = 0; i < forest.trees.size(); ++i) {
    leaf_values += forest.trees[i].leaf_values.size();
    INFERD_RETURN_IF_ERROR(CheckSize("values of leaves", leaf_values, 0, kLeafValuesMax));
    nodes += forest.trees[i].nodes.size();
    INFERD_RETURN_IF_ERROR(CheckSize("nodes", nodes, 0, kNodesMax));
    INFERD_RETURN_IF_ERROR(CheckTree(forest, forest.trees[i]).WithContext("tree " + std::to_string(i)));
  }
  return {};
}

int DepthOf(const Tree& tree) {
  int deepest = 0;
  std::vector<std::pair<size_t, int>> open = {{0, 0}};
  while (!open.empty()) {
    const auto [at, depth] = open.back();
    open.pop_back();
    deepest = std::max(deepest, depth);
    const Node& node = tree.nodes[at];
    if (node.split == Split::kLeaf) continue;
    open.emplace_back(node.right, depth + 1);
    open.emplace_back(node.left, depth + 1);
  }
  return deepest;
}

}  // namespace inferd::forest

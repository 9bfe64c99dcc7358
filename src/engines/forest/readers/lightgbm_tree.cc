#include "engines/forest/readers/lightgbm_tree.h"

#include <cmath>
#include <string>
#include <vector>

#include "engines/forest/model/check_forest.h"

namespace inferd::forest {

namespace {

// The parts of a decision_type.
constexpr int kCategorical = 1;
constexpr int kDefaultLeft = 2;
constexpr int kMissingShift = 2;
enum Missing : int { kNone = 0, kZero = 1, kNan = 2 };

// The arrays of the nodes that split.
struct Splits {
  std::vector<int32_t> features;
  std::vector<double> thresholds;  // or the number of a set
  std::vector<int> types;
  std::vector<int32_t> left;  // for a leaf: -1 - its number
  std::vector<int32_t> right;
  std::vector<double> counts;
};

base::Result<Splits> ReadSplits(const TextSection& section, size_t count) {
  Splits splits;
  if (count == 0) return splits;
  INFERD_ASSIGN_OR_RETURN(splits.features, section.List<int32_t>("split_feature", count));
  INFERD_ASSIGN_OR_RETURN(splits.thresholds, section.List<double>("threshold", count));
  INFERD_ASSIGN_OR_RETURN(splits.types, section.List<int>("decision_type", count));
  INFERD_ASSIGN_OR_RETURN(splits.left, section.List<int32_t>("left_child", count));
  INFERD_ASSIGN_OR_RETURN(splits.right, section.List<int32_t>("right_child", count));
  INFERD_ASSIGN_OR_RETURN(splits.counts, section.List<double>("internal_count", count));
  return splits;
}

base::Status ReadSets(const TextSection& section, Tree* tree) {
  INFERD_ASSIGN_OR_RETURN(const int64_t count, section.Integer("num_cat", 0, kNodesMax));
  if (count == 0) return {};
  INFERD_ASSIGN_OR_RETURN(const auto begins, section.List<int64_t>("cat_boundaries", static_cast<size_t>(count) + 1));
  if (begins.front() != 0 || begins.back() < 0) return base::InvalidArgument("'cat_boundaries' are out of range");
  INFERD_ASSIGN_OR_RETURN(const auto words,
                          section.List<uint32_t>("cat_threshold", static_cast<size_t>(begins.back())));
  for (size_t i = 0; i + 1 < begins.size(); ++i) {
    // Checks each one before use: the list's end does not prove the order of earlier ones.
    if (begins[i] > begins[i + 1] || begins[i + 1] > begins.back()) {
      return base::InvalidArgument("'cat_boundaries' do not ascend");
    }
    tree->sets.emplace_back(words.begin() + begins[i], words.begin() + begins[i + 1]);
  }
  return {};
}

base::Status ReadLinearLeaves(const TextSection& section, size_t leaves, Tree* tree) {
  INFERD_ASSIGN_OR_RETURN(const auto constants, section.List<double>("leaf_const", leaves));
  INFERD_ASSIGN_OR_RETURN(const auto sizes, section.List<uint32_t>("num_features", leaves));
  size_t total = 0;
  for (const uint32_t size : sizes) total += size;
  INFERD_ASSIGN_OR_RETURN(const auto features, section.List<int32_t>("leaf_features", total));
  INFERD_ASSIGN_OR_RETURN(const auto coefficients, section.List<double>("leaf_coeff", total));
  size_t begin = 0;
  for (size_t i = 0; i < leaves; ++i) {
    const auto from = static_cast<std::ptrdiff_t>(begin);
    const auto to = static_cast<std::ptrdiff_t>(begin += sizes[i]);
    tree->linear.push_back({.constant = constants[i],
                            .features = {features.begin() + from, features.begin() + to},
                            .coefficients = {coefficients.begin() + from, coefficients.begin() + to}});
  }
  return {};
}

// Leaf children come after the `splits` splitting nodes. A number out of range stays out of range.
int32_t ToNode(int32_t child, size_t splits) {
  return child >= 0 ? child : static_cast<int32_t>(static_cast<int64_t>(splits) - 1 - child);
}

base::Status SetSplit(const Splits& splits, size_t at, const Tree& tree, Node* node) {
  const size_t count = splits.left.size();
  const int type = splits.types[at];
  node->feature = splits.features[at];
  node->left = ToNode(splits.left[at], count);
  node->right = ToNode(splits.right[at], count);
  node->threshold = splits.thresholds[at];
  node->cover = splits.counts[at];
  if ((type & kCategorical) != 0) {
    const double set = node->threshold;
    if (!(set >= 0) || set >= static_cast<double>(tree.sets.size()) || set != std::floor(set)) {
      return base::InvalidArgument("node " + std::to_string(at) + " has no set of categories");
    }
    node->split = Split::kCategories;
    node->index = static_cast<uint32_t>(set);
    node->fraction_is_zero = true;
    return {};
  }
  node->split = Split::kLessEqual;
  switch (type >> kMissingShift) {
    case kNone: node->default_left = 0 <= node->threshold; return {};  // a missing value is 0
    case kZero: node->zero_is_missing = true; break;
    case kNan: break;
    default: return base::InvalidArgument("node " + std::to_string(at) + " has decision_type " + std::to_string(type));
  }
  node->default_left = (type & kDefaultLeft) != 0;
  return {};
}

}  // namespace

base::Result<Tree> ReadLightGbmTree(const TextSection& section) {
  INFERD_ASSIGN_OR_RETURN(const int64_t leaf_count, section.Integer("num_leaves", 1, kNodesMax / 2));
  const auto leaves = static_cast<size_t>(leaf_count);
  INFERD_ASSIGN_OR_RETURN(const Splits splits, ReadSplits(section, leaves - 1));
  Tree tree;
  INFERD_RETURN_IF_ERROR(ReadSets(section, &tree));
  INFERD_ASSIGN_OR_RETURN(tree.leaf_values, section.List<double>("leaf_value", leaves));
  std::vector<double> counts(leaves);
  if (leaves > 1) {
    INFERD_ASSIGN_OR_RETURN(counts, section.List<double>("leaf_count", leaves));
  }
  if (section.Text("is_linear") == "1") INFERD_RETURN_IF_ERROR(ReadLinearLeaves(section, leaves, &tree));
  tree.nodes.resize(splits.left.size() + leaves);
  for (size_t i = 0; i < splits.left.size(); ++i) {
    INFERD_RETURN_IF_ERROR(SetSplit(splits, i, tree, &tree.nodes[i]));
  }
  for (size_t i = 0; i < leaves; ++i) {
    Node& node = tree.nodes[splits.left.size() + i];
    node.index = static_cast<uint32_t>(i);
    node.cover = counts[i];
  }
  return tree;
}

}  // namespace inferd::forest

#include "engines/forest/evaluate/evaluator.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "engines/forest/evaluate/compact_forest.h"
#include "engines/forest/model/check_forest.h"

// Compares generated forests, with everything that a forest may have, to an evaluation of one row and one tree at a
// time that follows the structs' comments.

namespace inferd::forest {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

class Generator final {
 public:
  explicit Generator(uint32_t seed) : random_(seed) {}

  Forest MakeForest() {
    Forest forest;
    forest.features = 1 + Below(5);
    forest.groups = 1 + Below(3);
    doubles_ = Below(2) == 0;
    forest.compares = forest.sums = doubles_ ? Precision::kFloat64 : Precision::kFloat32;
    plain_ = Below(3) == 0;
    for (int g = 0; g < forest.groups; ++g) forest.start.push_back(Value());
    if (Below(2) == 0) forest.divisor.assign(forest.groups, 3);
    if (Below(2) == 0) forest.end.assign(forest.groups, 0.5);
    const int trees = Below(20);
    for (int i = 0; i < trees; ++i) forest.trees.push_back(MakeTree(forest));
    return forest;
  }

  // Values include thresholds, their neighbours, and NaN.
  std::vector<double> MakeRows(size_t count) {
    std::vector<double> values(count);
    for (double& value : values) {
      value = Threshold();
      switch (Below(12)) {
        case 0: value = std::nan(""); break;
        case 1: value = kInfinity; break;
        case 2: value = -kInfinity; break;
        case 3: value = 1e-36; break;
        case 4: value = Below(70) + 0.5; break;
        case 5: value = -0.5; break;
        case 6: value = std::nextafter(static_cast<float>(value), 100.F); break;
        default: break;
      }
      if (doubles_ && Below(4) == 0) value = std::nextafter(value, -100.);
    }
    return values;
  }

 private:
  int Below(int end) { return static_cast<int>(random_() % static_cast<uint32_t>(end)); }
  double Value() { return static_cast<float>(Below(2000) - 1000) / 64.F; }
  double Threshold() {
    const double threshold = (Below(41) - 20) / 10.0;
    return doubles_ ? threshold : static_cast<float>(threshold);
  }

  Tree MakeTree(const Forest& forest) {
    Tree tree;
    tree.group = Below(forest.groups);
    tree.leaf_width = Below(4) == 0 ? static_cast<uint32_t>(forest.groups) : 1;
    tree.nodes.emplace_back();
    Grow(forest, 0, 1 + Below(12), &tree);
    if (tree.leaf_width == 1 && !plain_ && Below(3) == 0) {
      for (size_t i = 0; i < tree.leaf_values.size(); ++i) {
        tree.linear.push_back({.constant = Value(), .features = {Below(forest.features)}, .coefficients = {Value()}});
      }
    }
    return tree;
  }

  void Grow(const Forest& forest, size_t at, int depth, Tree* tree) {
    Node node;
    if (depth == 0 || Below(6) == 0) {
      node.index = static_cast<uint32_t>(tree->leaf_values.size() / tree->leaf_width);
      for (uint32_t i = 0; i < tree->leaf_width; ++i) tree->leaf_values.push_back(Value());
      tree->nodes[at] = node;
      return;
    }
    node.split = plain_ || Below(3) > 0 ? (Below(2) == 0 ? Split::kLess : Split::kLessEqual) : Split::kCategories;
    node.threshold = !plain_ && Below(30) == 0 ? kInfinity : Threshold();
    node.default_left = Below(2) == 0;
    node.zero_is_missing = !plain_ && Below(5) == 0;
    node.fraction_is_zero = Below(2) == 0;
    node.feature = Below(forest.features);
    if (node.split == Split::kCategories) {
      node.index = static_cast<uint32_t>(tree->sets.size());
      tree->sets.emplace_back(1 + Below(2), random_());
    }
    node.left = static_cast<int32_t>(tree->nodes.size());
    tree->nodes.emplace_back();
    node.right = static_cast<int32_t>(tree->nodes.size());
    tree->nodes.emplace_back();
    tree->nodes[at] = node;
    Grow(forest, static_cast<size_t>(node.left), depth - 1, tree);
    Grow(forest, static_cast<size_t>(node.right), depth - 1, tree);
  }

  std::mt19937 random_;
  bool doubles_ = false;
  bool plain_ = false;
};

bool GoesLeft(const Tree& tree, const Node& node, double x) {
  if (std::isnan(x)) return node.default_left;
  if (node.zero_is_missing && x >= -kZeroThreshold && x <= kZeroThreshold) return node.default_left;
  if (node.split == Split::kLess) return x < node.threshold;
  if (node.split == Split::kLessEqual) return x <= node.threshold;
  const double whole = node.fraction_is_zero ? std::trunc(x) : std::floor(x);
  const CategorySet& set = tree.sets[node.index];
  for (size_t category = 0; category < set.size() * 32; ++category) {
    if (whole == static_cast<double>(category)) return (set[category / 32] & (1U << (category % 32))) != 0;
  }
  return false;
}

template <typename Sum>
std::vector<Sum> NaiveMargins(const Forest& forest, const double* row, std::vector<int32_t>* leaves) {
  std::vector<Sum> sums(forest.start.begin(), forest.start.end());
  for (const Tree& tree : forest.trees) {
    int32_t at = 0;
    while (tree.nodes[at].split != Split::kLeaf) {
      const Node& node = tree.nodes[at];
      at = GoesLeft(tree, node, row[node.feature]) ? node.left : node.right;
    }
    leaves->push_back(at);
    const uint32_t leaf = tree.nodes[at].index;
    for (uint32_t i = 0; i < tree.leaf_width; ++i) {
      double value = tree.leaf_values[leaf * tree.leaf_width + i];
      if (!tree.linear.empty() && !std::isnan(row[tree.linear[leaf].features[0]])) {
        const LinearLeaf& linear = tree.linear[leaf];
        value = linear.constant + linear.coefficients[0] * row[linear.features[0]];
      }
      sums[tree.leaf_width > 1 ? i : static_cast<uint32_t>(tree.group)] += static_cast<Sum>(value);
    }
  }
  for (size_t g = 0; g < sums.size(); ++g) {
    if (!forest.divisor.empty()) sums[g] /= static_cast<Sum>(forest.divisor[g]);
    if (!forest.end.empty()) sums[g] = static_cast<Sum>(static_cast<double>(sums[g]) + forest.end[g]);
  }
  return sums;
}

template <typename Feature, typename Sum>
void ExpectAsNaive(std::shared_ptr<const Forest> forest, const std::vector<double>& given, size_t rows) {
  const std::vector<Feature> values(given.begin(), given.end());
  const auto features = static_cast<size_t>(forest->features);
  const auto groups = static_cast<size_t>(forest->groups);
  const auto evaluator = Evaluator::Create(forest, sizeof(Feature) == 8 ? Precision::kFloat64 : Precision::kFloat32);
  std::vector<Sum> margins(rows * groups);
  std::vector<int32_t> leaves(rows * forest->trees.size());
  evaluator->Margins(values.data(), rows, margins.data());
  evaluator->Leaves(values.data(), rows, leaves.data());
  std::vector<Sum> expected;
  std::vector<int32_t> expected_leaves;
  const std::vector<double> exact(values.begin(), values.end());
  for (size_t row = 0; row < rows; ++row) {
    for (const Sum sum : NaiveMargins<Sum>(*forest, exact.data() + row * features, &expected_leaves)) {
      expected.push_back(sum);
    }
  }
  EXPECT_EQ(leaves, expected_leaves);
  for (size_t i = 0; i < margins.size(); ++i) {  // NaN differs from itself
    EXPECT_TRUE(margins[i] == expected[i] || (std::isnan(margins[i]) && std::isnan(expected[i]))) << i;
  }
}

TEST(EvaluatorTest, ComputesWhatANaiveEvaluationDoes) {
  for (uint32_t seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE(seed);
    Generator generator(seed);
    const auto forest = std::make_shared<const Forest>(generator.MakeForest());
    ASSERT_TRUE(CheckForest(*forest).ok()) << CheckForest(*forest).ToString();
    const size_t rows = seed % 90;
    const std::vector<double> values = generator.MakeRows(rows * static_cast<size_t>(forest->features));
    if (forest->sums == Precision::kFloat32) {
      ExpectAsNaive<float, float>(forest, values, rows);
    } else {
      ExpectAsNaive<float, double>(forest, values, rows);
      ExpectAsNaive<double, double>(forest, values, rows);
    }
  }
}

TEST(CompactForestTest, NodesThatSplitByTheSameSetShareIt) {
  Forest forest;
  forest.features = 1;
  forest.start = {0};
  Tree& tree = forest.trees.emplace_back();
  tree.sets.emplace_back(1000, 1U);
  tree.leaf_values = {1};
  for (int32_t i = 0; i < 50; ++i) {  // a chain
    tree.nodes.push_back({.split = Split::kCategories, .left = 2 * i + 1, .right = 2 * i + 2});
    tree.nodes.emplace_back();
  }
  tree.nodes.emplace_back();
  ASSERT_TRUE(CheckForest(forest).ok()) << CheckForest(forest).ToString();
  EXPECT_EQ((CompactForest<float, float>(forest).sets.size()), 1000U);
}

}  // namespace
}  // namespace inferd::forest

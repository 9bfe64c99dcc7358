#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "engines/forest/model/transform.h"

namespace inferd::forest {

// The rule by which a node chooses a child.
enum class Split : uint8_t {
  kLeaf,        // no children
  kLess,        // left where the feature < threshold
  kLessEqual,   // left where the feature <= threshold
  kCategories,  // left if the feature's integer part is in a set
};

enum class Precision : uint8_t { kFloat32, kFloat64 };

// A node. The defaults are a leaf's.
struct Node {
  Split split = Split::kLeaf;
  bool default_left = false;      // the direction of a missing value
  bool zero_is_missing = false;   // values within kZeroThreshold of 0 are missing, too; NaN always is
  bool fraction_is_zero = false;  // kCategories: values between -1 and 0 are category 0, not outside of the set
  int32_t feature = 0;
  int32_t left = -1;
  int32_t right = -1;
  uint32_t index = 0;  // for a leaf, its index in Tree::leaf_values; kCategories: its index in Tree::sets
  double threshold = 0;
  double cover = 0;  // number, or weight, of the training rows that reached it
};

inline constexpr double kZeroThreshold = 1e-35F;  // LightGBM's, a float32

// A leaf that computes constant + the sum of feature * coefficient, or the plain value if one of the features is NaN.
struct LinearLeaf {
  double constant = 0;
  std::vector<int32_t> features;
  std::vector<double> coefficients;
};

using CategorySet = std::vector<uint32_t>;  // bit c % 32 of word c / 32 is set if category c is in it

struct Tree {
  std::vector<Node> nodes;          // the root is first
  int32_t group = 0;                // the output to which its leaves add, if a leaf has one value
  uint32_t leaf_width = 1;          // values per leaf: 1, or one for each output
  std::vector<double> leaf_values;  // leaf_width for each leaf
  std::vector<CategorySet> sets;
  std::vector<LinearLeaf> linear;  // by leaf; empty if all are plain
};

// Trees whose leaves are summed, for any library that made them: what that library computes for a row, and in which
// precision. Plain data. A reader fills it, and CheckForest() decides whether it can be evaluated.
//
// margin[g] = start[g] + the sum of leaves, tree by tree, in `sums`; then / divisor[g], then + end[g]
// or, of a linear model: bias[g] + start[g] + the sum of feature * weight, feature by feature, in `sums`
// prediction = transform(margin)
struct Forest {
  std::string format;                        // its source: "XGBoost 3.2.0"
  int32_t features = 0;                      // values per row
  int32_t groups = 1;                        // number of sums to which the trees add
  int32_t classes = 1;                       // this many adjacent sums are one target's classes
  Precision compares = Precision::kFloat32;  // the type of features when they are compared
  Precision sums = Precision::kFloat32;      // the type of the sums and of the prediction
  std::vector<Tree> trees;
  std::vector<double> start;
  std::vector<double> divisor;  // empty for none
  std::vector<double> end;      // empty for none
  // A linear model in place of trees: [feature * groups + group], then a bias for each group. Empty for trees. A missing
  // feature adds nothing.
  std::vector<double> weights;
  Transform transform;
  bool leaves_are_nodes = true;            // a leaf's number is its node's in the tree, else its index among leaves
  bool has_contributions = true;           // its library computes SHAP values
  std::vector<std::string> feature_names;  // as many as features, or none
};

}  // namespace inferd::forest

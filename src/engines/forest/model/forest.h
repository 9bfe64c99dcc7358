#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "engines/forest/model/transform.h"

namespace inferd::forest {

// How a node chooses between its children.
enum class Split : uint8_t {
  kLeaf,        // it has none
  kLess,        // left where the feature < threshold
  kLessEqual,   // left where the feature <= threshold
  kCategories,  // left where the feature's whole part is one of a set
};

enum class Precision : uint8_t { kFloat32, kFloat64 };

// The defaults are a leaf's.
struct Node {
  Split split = Split::kLeaf;
  bool default_left = false;      // where a value that is missing goes
  bool zero_is_missing = false;   // so are values within kZeroThreshold of 0; NaN always is
  bool fraction_is_zero = false;  // kCategories: what lies between -1 and 0 is category 0, and not outside of the set
  int32_t feature = 0;
  int32_t left = -1;
  int32_t right = -1;
  uint32_t index = 0;  // of a leaf: its place in Tree::leaf_values; kCategories: its place in Tree::sets
  double threshold = 0;
  double cover = 0;  // how many rows of the training came by, or their weight
};

inline constexpr double kZeroThreshold = 1e-35F;  // LightGBM's, a float32

// A leaf that computes: constant + the sum of feature * coefficient, or the plain value where one of them is NaN.
struct LinearLeaf {
  double constant = 0;
  std::vector<int32_t> features;
  std::vector<double> coefficients;
};

using CategorySet = std::vector<uint32_t>;  // bit c % 32 of word c / 32: category c is in it

struct Tree {
  std::vector<Node> nodes;          // the root is the first
  int32_t group = 0;                // the output that its leaves add to, if a leaf has one value
  uint32_t leaf_width = 1;          // values of a leaf: 1, or one for each output
  std::vector<double> leaf_values;  // leaf_width for each leaf
  std::vector<CategorySet> sets;
  std::vector<LinearLeaf> linear;  // by leaf; empty: all are plain
};

// Trees whose leaves are summed, whatever library made them: what that library computes of a row, and in which
// precision. Plain data; a reader fills it, CheckForest() says whether it can be evaluated.
//
// margin[g] = start[g] + the sum of leaves, tree by tree, in `sums`; then / divisor[g], then + end[g]
// prediction = transform(margin)
struct Forest {
  std::string format;                        // what it was read from: "XGBoost 3.2.0"
  int32_t features = 0;                      // values of a row
  int32_t groups = 1;                        // sums that the trees add to
  int32_t classes = 1;                       // of which so many, side by side, are one target's classes
  Precision compares = Precision::kFloat32;  // what features are before they are compared
  Precision sums = Precision::kFloat32;      // what leaves are added in, and the prediction is
  std::vector<Tree> trees;
  std::vector<double> start;
  std::vector<double> divisor;  // empty: none
  std::vector<double> end;      // empty: none
  Transform transform;
  bool leaves_are_nodes = true;            // a leaf's number is its node's in the tree, else its place among leaves
  bool has_contributions = true;           // its library computes SHAP values
  std::vector<std::string> feature_names;  // as many as features, or none
};

}  // namespace inferd::forest

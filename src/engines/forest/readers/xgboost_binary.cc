#include "engines/forest/readers/xgboost_binary.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "engines/forest/model/check_forest.h"
#include "engines/forest/readers/byte_reader.h"
#include "engines/forest/readers/xgboost_objective.h"

// The file is a series of structs as they were in XGBoost's memory: plain 32-bit values, and reserved space.

namespace inferd::forest {

namespace {

constexpr std::string_view kMagic = "binf";

struct LearnerParams {
  float base_score;
  uint32_t features;
  int32_t classes;
  int32_t has_attributes;
  int32_t has_metrics;
  uint32_t major_version;
  uint32_t minor_version;
  uint32_t targets;
  int32_t reserved[26];
};
static_assert(sizeof(LearnerParams) == 136);

struct BoosterParams {
  int32_t trees;
  int32_t roots;  // from 1.6 on: trees of a round
  int32_t reserved[38];
};
static_assert(sizeof(BoosterParams) == 160);

struct TreeParams {
  int32_t roots;
  int32_t nodes;
  int32_t deleted;
  int32_t depth;
  int32_t features;
  int32_t leaf_width;
  int32_t reserved[31];
};
static_assert(sizeof(TreeParams) == 148);

struct BinaryNode {
  static constexpr uint32_t kDefaultLeft = 1U << 31;

  int32_t parent;
  int32_t left;  // -1 for a leaf
  int32_t right;
  uint32_t feature;  // also contains the flag
  float value;       // of the leaf, or the threshold
};
static_assert(sizeof(BinaryNode) == 20);

struct NodeStatistics {
  float gain;
  float cover;
  float weight;
  int32_t leaf_children;
};
static_assert(sizeof(NodeStatistics) == 16);

Node ToSplit(const BinaryNode& from) {
  Node node;
  node.split = Split::kLess;
  node.feature = static_cast<int32_t>(from.feature & ~BinaryNode::kDefaultLeft);
  node.default_left = (from.feature & BinaryNode::kDefaultLeft) != 0;
  node.threshold = from.value;
  node.left = from.left;
  node.right = from.right;
  return node;
}

base::Result<Tree> TakeTree(ByteReader& reader, uint32_t major_version) {
  INFERD_ASSIGN_OR_RETURN(const auto params, reader.Take<TreeParams>());
  if (params.nodes < 1) return std::unexpected(reader.Error("a tree has no node"));
  if (params.roots != 1) return std::unexpected(reader.Error("a tree has several roots"));
  const bool vectors = major_version >= 2 ? params.leaf_width > 1 : params.leaf_width != 0;
  if (vectors) return std::unexpected(reader.Error("a tree has vectors as leaves"));
  INFERD_ASSIGN_OR_RETURN(const auto nodes, reader.TakeList<BinaryNode>(static_cast<uint64_t>(params.nodes)));
  INFERD_ASSIGN_OR_RETURN(const auto statistics, reader.TakeList<NodeStatistics>(static_cast<uint64_t>(params.nodes)));
  Tree tree;
  for (size_t i = 0; i < nodes.size(); ++i) {
    Node& node = tree.nodes.emplace_back();
    if (nodes[i].left != -1) {
      node = ToSplit(nodes[i]);
    } else {
      node.index = static_cast<uint32_t>(tree.leaf_values.size());
      tree.leaf_values.push_back(nodes[i].value);
    }
    node.cover = statistics[i].cover;
  }
  return tree;
}

base::Status TakeTrees(ByteReader& reader, const LearnerParams& params, bool dart, Forest* forest) {
  INFERD_ASSIGN_OR_RETURN(const auto booster, reader.Take<BoosterParams>());
  if (booster.trees < 0 || static_cast<size_t>(booster.trees) > kTreesMax) {
    return reader.Error("it has no number of trees");
  }
  const auto count = static_cast<size_t>(booster.trees);
  for (size_t i = 0; i < count; ++i) {
    auto tree = TakeTree(reader, params.major_version);
    if (!tree) return tree.error().WithContext("tree " + std::to_string(i));
    forest->trees.push_back(*std::move(tree));
  }
  INFERD_ASSIGN_OR_RETURN(const auto groups, reader.TakeList<int32_t>(count));
  for (size_t i = 0; i < count; ++i) forest->trees[i].group = groups[i];
  if (!dart || count == 0) return {};  // without trees there is no list of weights either
  INFERD_ASSIGN_OR_RETURN(const auto weights, reader.TakeSizedList<float>());
  if (weights.size() != count) return reader.Error("it has not one weight for each tree");
  for (size_t i = 0; i < count; ++i) {
    for (double& value : forest->trees[i].leaf_values) value = static_cast<float>(value) * weights[i];
  }
  return {};
}

// Data after the trees is not needed for predictions, but must be complete.
base::Status SkipAttributes(ByteReader& reader, const LearnerParams& params) {
  if (params.has_attributes != 0) {
    INFERD_ASSIGN_OR_RETURN(const auto count, reader.Take<uint64_t>());
    for (uint64_t i = 0; i < count; ++i) {
      INFERD_RETURN_IF_ERROR(reader.SkipSizedList<char>());  // the name
      INFERD_RETURN_IF_ERROR(reader.SkipSizedList<char>());  // the value
    }
  }
  if (params.has_metrics == 0) return {};
  INFERD_ASSIGN_OR_RETURN(const auto count, reader.Take<uint64_t>());
  for (uint64_t i = 0; i < count; ++i) INFERD_RETURN_IF_ERROR(reader.SkipSizedList<char>());
  return {};
}

}  // namespace

bool IsXgboostBinary(std::string_view content) { return content.starts_with(kMagic); }

base::Result<Forest> ReadXgboostBinary(std::string_view content) {
  ByteReader reader(content);
  INFERD_RETURN_IF_ERROR(reader.Skip(kMagic.size()));
  INFERD_ASSIGN_OR_RETURN(const auto params, reader.Take<LearnerParams>());
  INFERD_ASSIGN_OR_RETURN(const std::string objective, reader.TakeText());
  INFERD_ASSIGN_OR_RETURN(const std::string booster, reader.TakeText());
  // Before 1.0 the base score was saved as a margin.
  if (params.major_version < 1 || params.major_version > 2) {
    return std::unexpected(base::InvalidArgument("it was written by XGBoost " + std::to_string(params.major_version) +
                                                 "." + std::to_string(params.minor_version) +
                                                 ", and is read if XGBoost 1 or 2 wrote it"));
  }
  if (booster != "gbtree" && booster != "dart") {
    return std::unexpected(base::InvalidArgument(
        "booster '" + booster + "' is not read from this old format: load the file with XGBoost 1 or 2, and save it " +
        "as JSON (booster.save_model(\"model.json\"))"));
  }
  if (params.features > kFeaturesMax || params.classes < 0 || params.classes > kGroupsMax ||
      params.targets > kGroupsMax || (params.classes > 1 && params.targets > 1)) {
    return std::unexpected(reader.Error("its features, classes or targets are out of range"));
  }
  Forest forest;
  forest.format = "XGBoost " + std::to_string(params.major_version) + "." + std::to_string(params.minor_version);
  forest.features = static_cast<int32_t>(params.features);
  forest.groups = std::max({params.classes, static_cast<int32_t>(params.targets), 1});
  INFERD_RETURN_IF_ERROR(SetXgboostObjective(objective, {params.base_score}, &forest));
  INFERD_RETURN_IF_ERROR(TakeTrees(reader, params, booster == "dart", &forest));
  INFERD_RETURN_IF_ERROR(SkipAttributes(reader, params));
  return forest;
}

}  // namespace inferd::forest

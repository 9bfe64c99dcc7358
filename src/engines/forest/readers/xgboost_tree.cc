#include "engines/forest/readers/xgboost_tree.h"

#include <limits>
#include <optional>
#include <span>
#include <string>

#include "engines/forest/model/check_forest.h"

namespace inferd::forest {

namespace {

constexpr int64_t kInt32Max = std::numeric_limits<int32_t>::max();

// The parallel arrays of a tree, with one element per node.
struct Arrays {
  std::span<const double> left;
  std::span<const double> right;
  std::span<const double> features;
  std::span<const double> thresholds;  // for a leaf: its value
  std::span<const double> default_left;
  std::span<const double> covers;        // only if leaves have one value
  std::span<const double> types;         // 1 for categories; empty in older files
  std::span<const double> leaf_vectors;  // of leaves with several values, one after the other
  bool vectors_of_nodes = false;         // before XGBoost 3.2: splitting nodes have some, too
};

base::Result<std::span<const double>> OfEachNode(const Document& document, std::string_view key, size_t nodes) {
  INFERD_ASSIGN_OR_RETURN(const std::span<const double> numbers, document.NumberList(key));
  if (numbers.size() == nodes) return numbers;
  return std::unexpected(base::InvalidArgument("'" + std::string(key) + "' has " + std::to_string(numbers.size()) +
                                               " elements for " + std::to_string(nodes) + " nodes"));
}

base::Result<Arrays> ReadArrays(const Document& document, size_t nodes, size_t leaf_width) {
  Arrays arrays;
  INFERD_ASSIGN_OR_RETURN(arrays.left, OfEachNode(document, "left_children", nodes));
  INFERD_ASSIGN_OR_RETURN(arrays.right, OfEachNode(document, "right_children", nodes));
  INFERD_ASSIGN_OR_RETURN(arrays.features, OfEachNode(document, "split_indices", nodes));
  INFERD_ASSIGN_OR_RETURN(arrays.thresholds, OfEachNode(document, "split_conditions", nodes));
  INFERD_ASSIGN_OR_RETURN(arrays.default_left, OfEachNode(document, "default_left", nodes));
  if (document.Find("split_type") != nullptr) {
    INFERD_ASSIGN_OR_RETURN(arrays.types, OfEachNode(document, "split_type", nodes));
  }
  if (leaf_width == 1) {
    INFERD_ASSIGN_OR_RETURN(arrays.covers, OfEachNode(document, "sum_hessian", nodes));
    return arrays;
  }
  arrays.vectors_of_nodes = document.Find("leaf_weights") == nullptr;
  INFERD_ASSIGN_OR_RETURN(arrays.leaf_vectors,
                          document.NumberList(arrays.vectors_of_nodes ? "base_weights" : "leaf_weights"));
  return arrays;
}

// Reads the category sets of the nodes that split by them.
class SetReader final {
 public:
  static base::Result<SetReader> Create(const Document& document, SetBuilder& builder) {
    SetReader reader(builder);
    if (document.Find("categories_nodes") == nullptr) return reader;
    INFERD_ASSIGN_OR_RETURN(reader.categories_, document.NumberList("categories"));
    INFERD_ASSIGN_OR_RETURN(reader.nodes_, document.NumberList("categories_nodes"));
    INFERD_ASSIGN_OR_RETURN(reader.begins_, document.NumberList("categories_segments"));
    INFERD_ASSIGN_OR_RETURN(reader.sizes_, document.NumberList("categories_sizes"));
    const size_t count = reader.nodes_.size();
    if (reader.begins_.size() == count && reader.sizes_.size() == count) return reader;
    return std::unexpected(base::InvalidArgument("'categories_nodes' and their segments are not as many"));
  }

  // Reads the set of the next node that has one; nodes come in ascending order.
  base::Result<CategorySet> Read(size_t node) {
    if (next_ == nodes_.size() || nodes_[next_] != static_cast<double>(node)) {
      return std::unexpected(base::InvalidArgument("it has no categories"));
    }
    INFERD_ASSIGN_OR_RETURN(const int64_t begin,
                            ToInteger(begins_[next_], 0, static_cast<int64_t>(categories_.size())));
    INFERD_ASSIGN_OR_RETURN(const int64_t size,
                            ToInteger(sizes_[next_], 0, static_cast<int64_t>(categories_.size()) - begin));
    ++next_;
    // Overlapping segments would take memory for the product of both arrays' lengths.
    taken_ += static_cast<size_t>(size);
    if (taken_ > categories_.size()) {
      return std::unexpected(base::InvalidArgument("'categories_segments' overlap"));
    }
    CategorySet set;
    for (const double number : categories_.subspan(static_cast<size_t>(begin), static_cast<size_t>(size))) {
      INFERD_ASSIGN_OR_RETURN(const int64_t category, ToInteger(number, 0, kInt32Max));
      INFERD_RETURN_IF_ERROR(builder_.Add(category, &set));
    }
    return set;
  }

 private:
  explicit SetReader(SetBuilder& builder) : builder_(builder) {}

  SetBuilder& builder_;
  std::span<const double> categories_;
  std::span<const double> nodes_;
  std::span<const double> begins_;
  std::span<const double> sizes_;
  size_t next_ = 0;
  size_t taken_ = 0;  // number of categories so far
};

// Returns a float32 product, as in XGBoost.
double Weighted(double leaf, float weight) { return static_cast<float>(leaf) * weight; }

// Nodes refer to vectors, and many may refer to the same one: all vectors are copied once, in the file's order.
void ReadLeafVectors(const Arrays& arrays, float weight, Tree* tree) {
  for (const double value : arrays.leaf_vectors) tree->leaf_values.push_back(Weighted(value, weight));
}

base::Status ReadLeaf(const Arrays& arrays, size_t at, float weight, Tree* tree, Node* node) {
  if (tree->leaf_width == 1) {
    node->index = static_cast<uint32_t>(tree->leaf_values.size());
    tree->leaf_values.push_back(Weighted(arrays.thresholds[at], weight));
    return {};
  }
  const double number = arrays.vectors_of_nodes ? static_cast<double>(at) : arrays.right[at];
  INFERD_ASSIGN_OR_RETURN(const int64_t leaf, ToInteger(number, 0, kInt32Max));
  node->index = static_cast<uint32_t>(leaf);  // CheckForest() checks the range
  return {};
}

base::Status ReadSplit(const Arrays& arrays, size_t at, SetReader* sets, Tree* tree, Node* node) {
  INFERD_ASSIGN_OR_RETURN(const int64_t left, ToInteger(arrays.left[at], 0, kInt32Max));
  INFERD_ASSIGN_OR_RETURN(const int64_t right, ToInteger(arrays.right[at], 0, kInt32Max));
  INFERD_ASSIGN_OR_RETURN(const int64_t feature, ToInteger(arrays.features[at], 0, kInt32Max));
  node->left = static_cast<int32_t>(left);
  node->right = static_cast<int32_t>(right);
  node->feature = static_cast<int32_t>(feature);
  node->default_left = arrays.default_left[at] != 0;
  node->threshold = static_cast<float>(arrays.thresholds[at]);
  node->split = Split::kLess;
  if (arrays.types.empty() || arrays.types[at] == 0) return {};
  if (arrays.types[at] != 1) return base::InvalidArgument("'split_type' is neither numerical nor categorical");
  // XGBoost goes right if the category is in the set.
  node->split = Split::kCategories;
  std::swap(node->left, node->right);
  node->default_left = !node->default_left;
  node->index = static_cast<uint32_t>(tree->sets.size());
  INFERD_ASSIGN_OR_RETURN(tree->sets.emplace_back(), sets->Read(at));
  return {};
}

}  // namespace

base::Result<Tree> ReadXgboostTree(const Document& document, int32_t groups, float weight, SetBuilder& builder) {
  INFERD_ASSIGN_OR_RETURN(const Document* const params, document.Get("tree_param"));
  INFERD_ASSIGN_OR_RETURN(const int64_t nodes, params->Integer("num_nodes", 1, kNodesMax));
  Tree tree;
  if (params->Find("size_leaf_vector") != nullptr) {
    INFERD_ASSIGN_OR_RETURN(const int64_t width, params->Integer("size_leaf_vector", 0, groups));
    tree.leaf_width = width > 1 ? static_cast<uint32_t>(width) : 1;  // old files have 0 if a leaf has one value
  }
  INFERD_ASSIGN_OR_RETURN(const Arrays arrays, ReadArrays(document, static_cast<size_t>(nodes), tree.leaf_width));
  INFERD_ASSIGN_OR_RETURN(SetReader sets, SetReader::Create(document, builder));
  tree.nodes.resize(static_cast<size_t>(nodes));
  if (tree.leaf_width > 1) ReadLeafVectors(arrays, weight, &tree);
  for (size_t i = 0; i < tree.nodes.size(); ++i) {
    Node& node = tree.nodes[i];
    if (!arrays.covers.empty()) node.cover = arrays.covers[i];
    const base::Status status =
        arrays.left[i] == -1 ? ReadLeaf(arrays, i, weight, &tree, &node) : ReadSplit(arrays, i, &sets, &tree, &node);
    if (!status.ok()) return std::unexpected(status.WithContext("node " + std::to_string(i)));
  }
  return tree;
}

}  // namespace inferd::forest

#include "engines/forest/readers/treelite_tree.h"

#include <string>
#include <utility>
#include <vector>

#include "engines/forest/model/check_forest.h"

namespace inferd::forest {

namespace {

enum NodeType : int8_t { kLeafNode = 0, kNumericalTestNode = 1, kCategoricalTestNode = 2 };
enum Operator : int8_t { kLess = 2, kLessOrEqual = 3, kGreater = 4, kGreaterOrEqual = 5 };

// For each node its numbers, if it has any: [begin, end) of a list.
template <typename Value>
struct Slices {
  std::vector<Value> values;
  std::vector<uint64_t> begins;
  std::vector<uint64_t> ends;

  size_t SizeOf(size_t node) const { return ends[node] - begins[node]; }
  const Value* Of(size_t node) const { return values.data() + begins[node]; }
};

template <typename Number>
struct TreeArrays {
  std::vector<int8_t> types;
  std::vector<int32_t> left;
  std::vector<int32_t> right;
  std::vector<int32_t> features;
  std::vector<uint8_t> default_left;
  std::vector<Number> leaf_values;
  std::vector<Number> thresholds;
  std::vector<int8_t> operators;
  std::vector<uint8_t> set_is_right;
  Slices<Number> leaf_vectors;
  Slices<uint32_t> sets;
  std::vector<double> covers;
};

template <typename Number>
class TreeReader final {
 public:
  TreeReader(ByteReader& reader, uint32_t groups, SetBuilder& builder)
      : reader_(reader), groups_(groups), builder_(builder) {}

  base::Result<Tree> Read() {
    INFERD_RETURN_IF_ERROR(TakeArrays());
    Tree tree;
    for (size_t i = 0; i < nodes_; ++i) {
      if (arrays_.leaf_vectors.SizeOf(i) > 0) tree.leaf_width = groups_;
    }
    tree.nodes.resize(nodes_);
    for (size_t i = 0; i < nodes_; ++i) {
      if (!arrays_.covers.empty()) tree.nodes[i].cover = arrays_.covers[i];
      const base::Status status = arrays_.types[i] == kLeafNode ? SetLeaf(i, &tree) : SetSplit(i, &tree);
      if (!status.ok()) return std::unexpected(status.WithContext("node " + std::to_string(i)));
    }
    return tree;
  }

 private:
  base::Status TakeArrays() {
    INFERD_ASSIGN_OR_RETURN(const auto nodes, reader_.Take<int32_t>());
    if (nodes < 1 || static_cast<size_t>(nodes) > kNodesMax) return reader_.Error("it has no number of nodes");
    nodes_ = static_cast<size_t>(nodes);
    INFERD_RETURN_IF_ERROR(reader_.Skip(1));  // whether there are categories
    INFERD_RETURN_IF_ERROR(TakeOfNodes(&arrays_.types));
    INFERD_RETURN_IF_ERROR(TakeOfNodes(&arrays_.left));
    INFERD_RETURN_IF_ERROR(TakeOfNodes(&arrays_.right));
    INFERD_RETURN_IF_ERROR(TakeOfNodes(&arrays_.features));
    INFERD_RETURN_IF_ERROR(TakeOfNodes(&arrays_.default_left));
    INFERD_RETURN_IF_ERROR(TakeOfNodes(&arrays_.leaf_values));
    INFERD_RETURN_IF_ERROR(TakeOfNodes(&arrays_.thresholds));
    INFERD_RETURN_IF_ERROR(TakeOfNodes(&arrays_.operators));
    INFERD_RETURN_IF_ERROR(TakeOfNodes(&arrays_.set_is_right));
    INFERD_RETURN_IF_ERROR(TakeSlices(&arrays_.leaf_vectors));
    INFERD_RETURN_IF_ERROR(TakeSlices(&arrays_.sets));
    return TakeStatistics();
  }

  template <typename Value>
  base::Status TakeOfNodes(std::vector<Value>* list) {
    INFERD_ASSIGN_OR_RETURN(*list, reader_.template TakeSizedList<Value>());
    if (list->size() == nodes_) return {};
    return reader_.Error("a list has " + std::to_string(list->size()) + " elements for " + std::to_string(nodes_) +
                         " nodes");
  }

  template <typename Value>
  base::Status TakeSlices(Slices<Value>* slices) {
    INFERD_ASSIGN_OR_RETURN(slices->values, reader_.template TakeSizedList<Value>());
    INFERD_RETURN_IF_ERROR(TakeBounds(&slices->begins));
    INFERD_RETURN_IF_ERROR(TakeBounds(&slices->ends));
    size_t taken = 0;
    for (size_t i = 0; i < nodes_; ++i) {
      if (slices->begins[i] > slices->ends[i] || slices->ends[i] > slices->values.size()) {
        return reader_.Error("node " + std::to_string(i) + " has what its list has not");
      }
      // Overlapping slices would take memory for the product of nodes and values.
      taken += slices->SizeOf(i);
      if (taken > slices->values.size()) return reader_.Error("nodes share what their list has");
    }
    return {};
  }

  // A tree without any has no bounds either.
  base::Status TakeBounds(std::vector<uint64_t>* bounds) {
    INFERD_ASSIGN_OR_RETURN(*bounds, reader_.TakeSizedList<uint64_t>());
    if (bounds->empty()) bounds->resize(nodes_);
    return bounds->size() == nodes_ ? base::OkStatus() : reader_.Error("a list has not one element for each node");
  }

  // Takes the training's counts, weights and gains, each with a flag per node, and the extensions of later versions.
  base::Status TakeStatistics() {
    INFERD_ASSIGN_OR_RETURN(const auto counts, reader_.TakeSizedList<uint64_t>());
    INFERD_RETURN_IF_ERROR(reader_.SkipSizedList<uint8_t>());
    INFERD_ASSIGN_OR_RETURN(arrays_.covers, reader_.TakeSizedList<double>());
    INFERD_RETURN_IF_ERROR(reader_.SkipSizedList<uint8_t>());
    INFERD_RETURN_IF_ERROR(reader_.SkipSizedList<double>());
    INFERD_RETURN_IF_ERROR(reader_.SkipSizedList<uint8_t>());
    if (arrays_.covers.size() != nodes_) arrays_.covers.assign(counts.begin(), counts.end());
    if (arrays_.covers.size() != nodes_) arrays_.covers.clear();
    INFERD_ASSIGN_OR_RETURN(const auto of_tree, reader_.Take<int32_t>());
    INFERD_ASSIGN_OR_RETURN(const auto of_nodes, reader_.Take<int32_t>());
    return of_tree == 0 && of_nodes == 0 ? base::OkStatus() : reader_.Error("it has optional fields");
  }

  base::Status SetLeaf(size_t at, Tree* tree) {
    tree->nodes[at].index = static_cast<uint32_t>(tree->leaf_values.size() / tree->leaf_width);
    if (tree->leaf_width == 1) {
      const bool vector = arrays_.leaf_vectors.SizeOf(at) == 1;
      tree->leaf_values.push_back(vector ? *arrays_.leaf_vectors.Of(at) : arrays_.leaf_values[at]);
      return {};
    }
    const size_t size = arrays_.leaf_vectors.SizeOf(at);
    if (size != groups_) return base::InvalidArgument("has " + std::to_string(size) + " values");
    const Number* const values = arrays_.leaf_vectors.Of(at);
    tree->leaf_values.insert(tree->leaf_values.end(), values, values + size);
    return {};
  }

  base::Status SetSplit(size_t at, Tree* tree) {
    Node& node = tree->nodes[at];
    node.feature = arrays_.features[at];
    node.left = arrays_.left[at];
    node.right = arrays_.right[at];
    node.default_left = arrays_.default_left[at] != 0;
    node.threshold = arrays_.thresholds[at];
    bool turned = false;
    if (arrays_.types[at] == kCategoricalTestNode) {
      node.split = Split::kCategories;
      turned = arrays_.set_is_right[at] != 0;
      INFERD_RETURN_IF_ERROR(AddSet(at, tree));
    } else if (arrays_.types[at] == kNumericalTestNode) {
      // "Greater" is the opposite of "less or equal": the children are swapped.
      const int8_t comparison = arrays_.operators[at];
      if (comparison < kLess || comparison > kGreaterOrEqual) {
        return base::InvalidArgument("compares by operator " + std::to_string(comparison));
      }
      turned = comparison >= kGreater;
      node.split = comparison == kLess || comparison == kGreaterOrEqual ? Split::kLess : Split::kLessEqual;
    } else {
      return base::InvalidArgument("is of type " + std::to_string(arrays_.types[at]));
    }
    if (turned) std::swap(node.left, node.right);
    if (turned) node.default_left = !node.default_left;
    return {};
  }

  base::Status AddSet(size_t at, Tree* tree) {
    tree->nodes[at].index = static_cast<uint32_t>(tree->sets.size());
    CategorySet& set = tree->sets.emplace_back();
    const uint32_t* const categories = arrays_.sets.Of(at);
    for (size_t i = 0; i < arrays_.sets.SizeOf(at); ++i) INFERD_RETURN_IF_ERROR(builder_.Add(categories[i], &set));
    return {};
  }

  ByteReader& reader_;
  const uint32_t groups_;
  SetBuilder& builder_;
  size_t nodes_ = 0;
  TreeArrays<Number> arrays_;
};

}  // namespace

base::Result<Tree> TakeTreeliteTree(ByteReader& reader, Precision precision, uint32_t groups, SetBuilder& builder) {
  if (precision == Precision::kFloat64) return TreeReader<double>(reader, groups, builder).Read();
  return TreeReader<float>(reader, groups, builder).Read();
}

}  // namespace inferd::forest

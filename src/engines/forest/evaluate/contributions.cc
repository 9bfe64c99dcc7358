#include "engines/forest/evaluate/contributions.h"

#include <algorithm>
#include <string>
#include <utility>

#include "engines/forest/evaluate/decide.h"
#include "engines/forest/model/check_forest.h"

namespace inferd::forest {

namespace {

// The memory of a walk grows with the square of the depth.
constexpr int kContributionsDepthMax = 512;

// A feature that a split on the path to a node uses.
struct PathElement {
  int32_t feature;
  double zero_fraction;  // of the rows that go this way, for any value of the feature
  double one_fraction;   // 1 if the row itself goes this way, else 0
  double weight;         // of the subsets with this many of the path's features
};

// The path's features so far: [0, size). The first is the root's, which is no feature.
struct Path {
  PathElement* elements;
  int32_t size;
};

void Extend(Path* path, PathElement element) {
  const int32_t last = path->size++;
  PathElement* const all = path->elements;
  element.weight = last == 0 ? 1 : 0;
  all[last] = element;
  for (int32_t i = last - 1; i >= 0; --i) {
    all[i + 1].weight += element.one_fraction * all[i].weight * (i + 1) / (last + 1);
    all[i].weight = element.zero_fraction * all[i].weight * (last - i) / (last + 1);
  }
}

// Removes an element.
void Unwind(Path* path, int32_t at) {
  const int32_t last = --path->size;
  PathElement* const all = path->elements;
  const double one = all[at].one_fraction;
  const double zero = all[at].zero_fraction;
  double next = all[last].weight;
  for (int32_t i = last - 1; i >= 0; --i) {
    if (one != 0) {
      const double weight = all[i].weight;
      all[i].weight = next * (last + 1) / ((i + 1) * one);
      next = weight - all[i].weight * zero * (last - i) / (last + 1);
    } else {
      all[i].weight = all[i].weight * (last + 1) / (zero * (last - i));
    }
  }
  for (int32_t i = at; i < last; ++i) {
    all[i].feature = all[i + 1].feature;
    all[i].zero_fraction = all[i + 1].zero_fraction;
    all[i].one_fraction = all[i + 1].one_fraction;
  }
}

// Returns the sum of the weights without that element.
double SumWithout(const Path& path, int32_t at) {
  const int32_t last = path.size - 1;
  const PathElement* const all = path.elements;
  const double one = all[at].one_fraction;
  const double zero = all[at].zero_fraction;
  double next = all[last].weight;
  double total = 0;
  for (int32_t i = last - 1; i >= 0; --i) {
    if (one != 0) {
      const double weight = next * (last + 1) / ((i + 1) * one);
      total += weight;
      next = all[i].weight - weight * zero * (last - i) / (last + 1);
    } else if (zero != 0) {
      total += all[i].weight / (zero * (last - i) / (last + 1));
    }
  }
  return total;
}

// One row's walk through a whole tree.
class ShapWalk final {
 public:
  ShapWalk(const Tree& tree, const double* row, double* to) : tree_(tree), row_(row), to_(to) {}

  // `memory` has room for the paths of all depths. The path so far precedes it.
  void Visit(int32_t at, const Path& before, PathElement* memory, PathElement step) {
    std::copy_n(before.elements, before.size, memory);
    Path path{memory, before.size};
    Extend(&path, step);
    const Node& node = tree_.nodes[at];
    if (node.split == Split::kLeaf) {
      const double value = tree_.leaf_values[node.index];
      for (int32_t i = 1; i < path.size; ++i) {
        const PathElement& element = path.elements[i];
        to_[element.feature] += SumWithout(path, i) * (element.one_fraction - element.zero_fraction) * value;
      }
      return;
    }
    const bool left = GoesLeft(tree_, node, row_[node.feature]);
    const int32_t taken = left ? node.left : node.right;
    const int32_t other = left ? node.right : node.left;
    double zero = 1;
    double one = 1;
    // A feature counts once on a path.
    for (int32_t i = 1; i < path.size; ++i) {
      if (path.elements[i].feature != node.feature) continue;
      zero = path.elements[i].zero_fraction;
      one = path.elements[i].one_fraction;
      Unwind(&path, i);
      break;
    }
    PathElement* const rest = memory + path.size + 1;
    const double of_taken = tree_.nodes[taken].cover / node.cover;
    const double of_other = tree_.nodes[other].cover / node.cover;
    Visit(taken, path, rest, {node.feature, of_taken * zero, one, 0});
    Visit(other, path, rest, {node.feature, of_other * zero, 0, 0});
  }

 private:
  const Tree& tree_;
  const double* const row_;
  double* const to_;
};

double ExpectedValue(const Tree& tree, int32_t at) {
  const Node& node = tree.nodes[at];
  if (node.split == Split::kLeaf) return tree.leaf_values[node.index];
  const auto part = [&](int32_t child) { return ExpectedValue(tree, child) * tree.nodes[child].cover; };
  return (part(node.left) + part(node.right)) / node.cover;
}

base::Status CheckTree(const Tree& tree) {
  if (tree.leaf_width > 1) return base::InvalidArgument("has vectors as leaves, which have no contributions");
  if (!tree.linear.empty()) return base::InvalidArgument("has leaves that compute, which have no contributions");
  if (DepthOf(tree) > kContributionsDepthMax) return base::InvalidArgument("is too deep for contributions");
  const bool covered = std::ranges::all_of(
      tree.nodes, [](const Node& node) { return node.split == Split::kLeaf ? node.cover >= 0 : node.cover > 0; });
  return covered || tree.nodes.size() == 1
             ? base::OkStatus()
             : base::InvalidArgument("does not say how many rows came by its nodes, which contributions need");
}

}  // namespace

base::Result<std::unique_ptr<const Contributions>> Contributions::Create(std::shared_ptr<const Forest> forest) {
  if (!forest->has_contributions) {
    return std::unexpected(base::InvalidArgument("models of " + forest->format + " have no contributions"));
  }
  for (size_t i = 0; i < forest->trees.size(); ++i) {
    INFERD_RETURN_IF_ERROR(CheckTree(forest->trees[i]).WithContext("tree " + std::to_string(i)));
  }
  return std::unique_ptr<const Contributions>(new Contributions(std::move(forest)));
}

Contributions::Contributions(std::shared_ptr<const Forest> forest) : forest_(std::move(forest)) {
  for (const Tree& tree : forest_->trees) {
    expected_.push_back(ExpectedValue(tree, 0));
    depth_ = std::max(depth_, DepthOf(tree));
  }
}

void Contributions::OfRow(const double* row, double* to) const {
  const auto width = static_cast<size_t>(forest_->features) + 1;
  std::fill_n(to, width * static_cast<size_t>(forest_->groups), 0);
  for (size_t g = 0; g < forest_->start.size(); ++g) to[g * width + width - 1] = forest_->start[g];
  const auto longest = static_cast<size_t>(depth_) + 2;
  std::vector<PathElement> memory(longest * (longest + 1) / 2 + longest);
  for (size_t i = 0; i < forest_->trees.size(); ++i) {
    const Tree& tree = forest_->trees[i];
    double* const of_group = to + static_cast<size_t>(tree.group) * width;
    of_group[width - 1] += expected_[i];
    ShapWalk(tree, row, of_group).Visit(0, {memory.data(), 0}, memory.data(), {-1, 1, 1, 0});
  }
}

}  // namespace inferd::forest

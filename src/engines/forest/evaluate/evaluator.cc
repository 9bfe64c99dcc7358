#include "engines/forest/evaluate/evaluator.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "engines/forest/evaluate/compact_forest.h"
#include "engines/forest/evaluate/walk.h"

namespace inferd::forest {

namespace {

// The number of rows that visit each tree together: the tree and the rows then stay in the L1 cache.
constexpr size_t kBlockRows = 64;

template <typename Feature, typename Sum>
class TypedEvaluator final : public Evaluator {
 public:
  explicit TypedEvaluator(std::shared_ptr<const Forest> forest)
      : forest_(std::move(forest)), compact_(*forest_), weights_(forest_->weights.begin(), forest_->weights.end()) {}

  void Margins(const void* rows, size_t count, void* margins) const override {
    const size_t groups = static_cast<size_t>(forest_->groups);
    auto* const sums = static_cast<Sum*>(margins);
    for (size_t row = 0; row < count; ++row) {
      for (size_t g = 0; g < groups; ++g) sums[row * groups + g] = static_cast<Sum>(forest_->start[g]);
    }
    if (!weights_.empty()) AddLinear(static_cast<const Feature*>(rows), count, sums);
    Visit(static_cast<const Feature*>(rows), count, [&](size_t row, const Feature* values, size_t tree, uint32_t leaf) {
      AddLeaf(compact_.trees[tree], values, leaf, sums + row * groups);
    });
    for (size_t row = 0; row < count; ++row) Finish(sums + row * groups);
  }

  void Leaves(const void* rows, size_t count, int32_t* leaves) const override {
    Visit(static_cast<const Feature*>(rows), count, [&](size_t row, const Feature*, size_t tree, uint32_t leaf) {
      leaves[row * compact_.trees.size() + tree] = compact_.leaf_numbers[leaf];
    });
  }

 private:
  size_t features() const { return static_cast<size_t>(forest_->features); }

  void AddLinear(const Feature* rows, size_t count, Sum* sums) const {
    const size_t groups = static_cast<size_t>(forest_->groups);
    const Sum* const biases = weights_.data() + features() * groups;
    for (size_t row = 0; row < count; ++row, rows += features(), sums += groups) {
      for (size_t g = 0; g < groups; ++g) sums[g] += biases[g];
      for (size_t i = 0; i < features(); ++i) {
        if (std::isnan(rows[i])) continue;
        const Sum* const weights = weights_.data() + i * groups;
        for (size_t g = 0; g < groups; ++g) sums[g] += static_cast<Sum>(rows[i]) * weights[g];
      }
    }
  }

  // Calls `found(row, its values, tree, leaf)` for every row and tree; within one row, tree after tree.
  template <typename Found>
  void Visit(const Feature* rows, size_t count, const Found& found) const {
    for (size_t begin = 0; begin < count; begin += kBlockRows) {
      const size_t size = std::min(kBlockRows, count - begin);
      const auto in_block = [&found, begin](size_t row, const Feature* values, size_t tree, uint32_t leaf) {
        found(begin + row, values, tree, leaf);
      };
      const Feature* const block = rows + begin * features();
      const bool missing = std::any_of(block, block + size * features(), [](Feature x) { return std::isnan(x); });
      if (!compact_.specials.empty()) {
        VisitBlock<true, true>(block, size, in_block);
      } else if (missing) {
        VisitBlock<true, false>(block, size, in_block);
      } else {
        VisitBlock<false, false>(block, size, in_block);
      }
    }
  }

  template <bool kMissing, bool kSpecial, typename Found>
  void VisitBlock(const Feature* rows, size_t count, const Found& found) const {
    const size_t together = count / kLanes * kLanes;
    for (size_t tree = 0; tree < (together > 0 ? compact_.trees.size() : 0); ++tree) {
      for (size_t row = 0; row < together; row += kLanes) {
        Lanes lanes;
        std::fill_n(lanes.at, kLanes, compact_.trees[tree].root);
        const Feature* const first = rows + row * features();
        Walk<kMissing, kSpecial>(compact_, first, features(), compact_.trees[tree].steps, &lanes);
        for (size_t i = 0; i < kLanes; ++i) found(row + i, first + i * features(), tree, lanes.at[i]);
      }
    }
    for (size_t row = together; row < count; ++row) {
      VisitRow<kMissing, kSpecial>(rows + row * features(), row, found);
    }
  }

  // Visits several trees side by side.
  template <bool kMissing, bool kSpecial, typename Found>
  void VisitRow(const Feature* values, size_t row, const Found& found) const {
    for (size_t tree = 0; tree < compact_.trees.size(); tree += kLanes) {
      const size_t size = std::min(kLanes, compact_.trees.size() - tree);
      Lanes lanes;
      uint32_t steps = 0;
      for (size_t i = 0; i < kLanes; ++i) {
        const CompactTree& walked = compact_.trees[tree + std::min(i, size - 1)];
        lanes.at[i] = walked.root;
        steps = std::max(steps, walked.steps);
      }
      Walk<kMissing, kSpecial>(compact_, values, 0, steps, &lanes);
      for (size_t i = 0; i < size; ++i) found(row, values, tree + i, lanes.at[i]);
    }
  }

  void AddLeaf(const CompactTree& tree, const Feature* values, uint32_t leaf, Sum* sums) const {
    const Sum* const leaf_values = compact_.leaf_values.data() + compact_.nodes[leaf].payload;
    if (tree.width > 1) {
      for (size_t g = 0; g < tree.width; ++g) sums[g] += leaf_values[g];
    } else if (compact_.linear.empty() || compact_.linear[leaf] == nullptr) {
      sums[tree.group] += leaf_values[0];
    } else {
      sums[tree.group] += Compute(*compact_.linear[leaf], values, leaf_values[0]);
    }
  }

  static Sum Compute(const LinearLeaf& leaf, const Feature* values, Sum plain) {
    double sum = leaf.constant;
    for (size_t i = 0; i < leaf.features.size(); ++i) {
      const Feature value = values[leaf.features[i]];
      if (std::isnan(value)) return plain;
      sum += leaf.coefficients[i] * value;
    }
    return static_cast<Sum>(sum);
  }

  void Finish(Sum* sums) const {
    for (size_t g = 0; g < forest_->divisor.size(); ++g) sums[g] /= static_cast<Sum>(forest_->divisor[g]);
    for (size_t g = 0; g < forest_->end.size(); ++g) {
      sums[g] = static_cast<Sum>(sums[g] + forest_->end[g]);
    }
  }

  const std::shared_ptr<const Forest> forest_;
  const CompactForest<Feature, Sum> compact_;
  const std::vector<Sum> weights_;  // of a linear model
};

}  // namespace

std::unique_ptr<const Evaluator> Evaluator::Create(std::shared_ptr<const Forest> forest, Precision features) {
  if (features == Precision::kFloat64) return std::make_unique<TypedEvaluator<double, double>>(std::move(forest));
  if (forest->sums == Precision::kFloat64) return std::make_unique<TypedEvaluator<float, double>>(std::move(forest));
  return std::make_unique<TypedEvaluator<float, float>>(std::move(forest));
}

}  // namespace inferd::forest

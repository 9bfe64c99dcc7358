#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "base/status.h"
#include "engines/forest/model/forest.h"

namespace inferd::forest {

// The contribution of each feature to a row's margins: SHAP values as XGBoost and LightGBM compute them from the trees
// alone, by the number of training rows in each branch (Lundberg, Erion and Lee, "Consistent Individualized Feature
// Attribution for Tree Ensembles", 2018, algorithm 2). Immutable; thread-safe.
class Contributions final {
 public:
  // INVALID_ARGUMENT if the forest's library computes none for such trees, or the file lacks the required data.
  static base::Result<std::unique_ptr<const Contributions>> Create(std::shared_ptr<const Forest> forest);

  // Computes one row: for each output, one value per feature, then the bias; their sum is the margin.
  void OfRow(const double* row, double* to) const;

 private:
  explicit Contributions(std::shared_ptr<const Forest> forest);

  const std::shared_ptr<const Forest> forest_;
  std::vector<double> expected_;  // of each tree, over the training rows
  int depth_ = 0;                 // of the deepest tree
};

}  // namespace inferd::forest

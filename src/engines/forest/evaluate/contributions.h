#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "base/status.h"
#include "engines/forest/model/forest.h"

namespace inferd::forest {

// How much each feature contributes to a row's margins: SHAP values as XGBoost and LightGBM compute them from the trees
// alone, by how many rows of the training went each way (Lundberg, Erion and Lee, "Consistent Individualized Feature
// Attribution for Tree Ensembles", 2018, algorithm 2). Immutable; thread-safe.
class Contributions final {
 public:
  // INVALID_ARGUMENT: the forest's library computes none of such trees, or the file does not have what it needs.
  static base::Result<std::unique_ptr<const Contributions>> Create(std::shared_ptr<const Forest> forest);

  // Of one row: for each output, one value for each feature and the bias behind them, which together are its margin.
  void OfRow(const double* row, double* to) const;

 private:
  explicit Contributions(std::shared_ptr<const Forest> forest);

  const std::shared_ptr<const Forest> forest_;
  std::vector<double> expected_;  // of each tree, over the rows of the training
  int depth_ = 0;                 // of the deepest tree
};

}  // namespace inferd::forest

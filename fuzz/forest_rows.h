#pragma once

#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "base/status.h"
#include "engines/forest/evaluate/contributions.h"
#include "engines/forest/evaluate/evaluator.h"
#include "engines/forest/model/check_forest.h"

namespace inferd::fuzz {

// Evaluates rows by a model that the reader accepted. Does nothing if the check of the model refuses it.
inline void AskForest(base::Result<forest::Forest> read) {
  constexpr size_t kNumbersMax = 1 << 16;
  constexpr size_t kRows = 17;
  if (!read || !forest::CheckForest(*read).ok()) return;
  const auto model = std::make_shared<const forest::Forest>(*std::move(read));
  const auto features = static_cast<size_t>(model->features);
  const auto groups = static_cast<size_t>(model->groups);
  if (features * groups > kNumbersMax || model->trees.size() > kNumbersMax) return;
  std::vector<float> rows(kRows * features, 0.5F);
  for (size_t i = 0; i < rows.size(); i += 3) rows[i] = std::numeric_limits<float>::quiet_NaN();
  for (size_t i = 1; i < rows.size(); i += 5) rows[i] = static_cast<float>(i) - 40;
  std::vector<double> margins(kRows * groups);  // enough memory for both precisions
  std::vector<int32_t> leaves(kRows * model->trees.size());
  const auto evaluator = forest::Evaluator::Create(model, forest::Precision::kFloat32);
  evaluator->Margins(rows.data(), kRows, margins.data());
  evaluator->Leaves(rows.data(), kRows, leaves.data());
  const auto contributions = forest::Contributions::Create(model);
  if (!contributions) return;
  size_t nodes = 0;
  for (const forest::Tree& tree : model->trees) nodes += tree.nodes.size();
  if (nodes > 1000) return;  // contributions take the square of the depth for each leaf
  const std::vector<double> row(rows.begin(), rows.begin() + model->features);
  std::vector<double> values((features + 1) * groups);
  (*contributions)->OfRow(row.data(), values.data());
}

}  // namespace inferd::fuzz

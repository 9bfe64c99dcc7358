#include "serving/repository/load/batching_words.h"

#include <algorithm>

namespace inferd::repository {

bool ModelDecidedBatching(const config::ModelConfig& config) {
  const config::BatchingSource source = config.batching_decision.source;
  if (source == config::BatchingSource::kProbe) return true;
  // The model does not batch, so dims are whole shapes.
  const auto leads = [](const auto& tensor) { return tensor::BeginsWithAnySize(tensor.dims); };
  return source == config::BatchingSource::kModel && std::ranges::all_of(config.inputs, leads) &&
         std::ranges::all_of(config.outputs, leads);
}

}  // namespace inferd::repository

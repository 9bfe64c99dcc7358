#pragma once

#include <string_view>
#include <vector>

#include "base/status.h"
#include "engines/forest/model/forest.h"

namespace inferd::forest {

// Sets the transform of XGBoost's objective `name`, and the margins' start values. `base_scores` are the file's, one
// for all outputs or one for each; they are predictions, which the objective converts to margins. INVALID_ARGUMENT for
// an unknown objective, or base scores that no margin has.
base::Status SetXgboostObjective(std::string_view name, const std::vector<float>& base_scores, Forest* forest);

// Parses "[5E-1,2E-1]" of XGBoost 3.1 and later, or "5E-1".
base::Result<std::vector<float>> ParseBaseScores(std::string_view text);

}  // namespace inferd::forest

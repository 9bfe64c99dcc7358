#pragma once

#include <string_view>
#include <vector>

#include "base/status.h"
#include "engines/forest/model/forest.h"

namespace inferd::forest {

// Sets what XGBoost's objective `name` makes of margins, and where they start. `base_scores` are the file's, one for
// all outputs or one for each; they are predictions, for which the objective knows the margin. INVALID_ARGUMENT: an
// objective that is not known here, or base scores that no margin has.
base::Status SetXgboostObjective(std::string_view name, const std::vector<float>& base_scores, Forest* forest);

// "[5E-1,2E-1]" of XGBoost 3.1 and later, or "5E-1".
base::Result<std::vector<float>> ParseBaseScores(std::string_view text);

}  // namespace inferd::forest

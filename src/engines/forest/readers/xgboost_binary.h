#pragma once

#include <string_view>

#include "base/status.h"
#include "engines/forest/model/forest.h"

namespace inferd::forest {

// Returns true if the content is, or begins like, a model in XGBoost's old binary format, which XGBoost 3.1 and later
// refuse.
bool IsXgboostBinary(std::string_view content);

// Reads the forest of a model from XGBoost 1 or 2, with booster gbtree or dart. INVALID_ARGUMENT if it has another
// booster or version, an unknown objective, or something that cannot be read exactly.
base::Result<Forest> ReadXgboostBinary(std::string_view content);

}  // namespace inferd::forest

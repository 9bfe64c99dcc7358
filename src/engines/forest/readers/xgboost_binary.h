#pragma once

#include <string_view>

#include "base/status.h"
#include "engines/forest/model/forest.h"

namespace inferd::forest {

// Whether this is, or begins as, a model in XGBoost's old binary format, which XGBoost 3.1 and later refuse.
bool IsXgboostBinary(std::string_view content);

// The forest of a model that XGBoost 1 or 2 wrote: boosters gbtree and dart. INVALID_ARGUMENT: it is another booster or
// of another version, has an objective that is not known, or something that cannot be read exactly.
base::Result<Forest> ReadXgboostBinary(std::string_view content);

}  // namespace inferd::forest

#pragma once

#include "base/status.h"
#include "engines/forest/model/forest.h"
#include "engines/forest/readers/document.h"
#include "engines/forest/readers/set_builder.h"

namespace inferd::forest {

// Reads one of `trees` of an XGBoost document. `groups` is the number of outputs; leaves have one value, or so many.
// `weight` is that of its leaves (DART's). INVALID_ARGUMENT for arrays of different lengths, and numbers out of range.
base::Result<Tree> ReadXgboostTree(const Document& document, int32_t groups, float weight, SetBuilder& builder);

}  // namespace inferd::forest

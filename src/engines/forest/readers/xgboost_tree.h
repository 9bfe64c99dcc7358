#pragma once

#include "base/status.h"
#include "engines/forest/model/forest.h"
#include "engines/forest/readers/document.h"
#include "engines/forest/readers/set_builder.h"

namespace inferd::forest {

// One of `trees` of an XGBoost document. `groups`: how many outputs there are; leaves have one value, or so many.
// `weight`: of its leaves (DART's). INVALID_ARGUMENT: arrays of different lengths, numbers out of range.
base::Result<Tree> ReadXgboostTree(const Document& document, int32_t groups, float weight, SetBuilder& builder);

}  // namespace inferd::forest

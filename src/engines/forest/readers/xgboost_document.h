#pragma once

#include "base/status.h"
#include "engines/forest/model/forest.h"
#include "engines/forest/readers/document.h"

namespace inferd::forest {

// Whether the document is an XGBoost model, of whatever booster.
bool IsXgboostDocument(const Document& document);

// The forest of an XGBoost model in JSON or UBJSON, of 1.0 to 3: boosters gbtree and dart. INVALID_ARGUMENT: it is
// another booster, has an objective that is not known, or something that cannot be read exactly.
base::Result<Forest> ReadXgboostDocument(const Document& document);

}  // namespace inferd::forest

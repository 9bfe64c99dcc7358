#pragma once

#include "base/status.h"
#include "engines/forest/model/forest.h"
#include "engines/forest/readers/document.h"

namespace inferd::forest {

// Returns true if the document is an XGBoost model with any booster.
bool IsXgboostDocument(const Document& document);

// Reads the forest of an XGBoost model in JSON or UBJSON, from 1.0 to 3, with booster gbtree or dart. INVALID_ARGUMENT
// if it has another booster, an unknown objective, or something that cannot be read exactly.
base::Result<Forest> ReadXgboostDocument(const Document& document);

}  // namespace inferd::forest

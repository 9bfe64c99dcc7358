#pragma once

#include <string_view>

#include "base/status.h"
#include "engines/forest/model/forest.h"

namespace inferd::forest {

// Whether this is, or begins as, a model that LightGBM saved as text.
bool IsLightGbmText(std::string_view content);

// Its forest. INVALID_ARGUMENT: it has an objective that is not known, or something that cannot be read exactly.
base::Result<Forest> ReadLightGbmText(std::string_view content);

}  // namespace inferd::forest

#pragma once

#include <string_view>

#include "base/status.h"
#include "engines/forest/model/forest.h"

namespace inferd::forest {

// Returns true if the content is, or begins like, a model that LightGBM saved as text.
bool IsLightGbmText(std::string_view content);

// Reads its forest. INVALID_ARGUMENT if its objective is unknown, or something in it cannot be read exactly.
base::Result<Forest> ReadLightGbmText(std::string_view content);

}  // namespace inferd::forest

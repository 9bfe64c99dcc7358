#pragma once

#include <string_view>

#include "base/status.h"
#include "engines/forest/model/forest.h"

namespace inferd::forest {

// Whether this is, or begins as, a checkpoint of treelite 4.
bool IsTreeliteCheckpoint(std::string_view content);

// Its forest. INVALID_ARGUMENT: it has something that cannot be read exactly.
base::Result<Forest> ReadTreeliteCheckpoint(std::string_view content);

}  // namespace inferd::forest

#pragma once

#include <string_view>

#include "base/status.h"
#include "engines/forest/model/forest.h"

namespace inferd::forest {

// Returns true if the content is, or begins like, a checkpoint of any version of treelite.
bool IsTreeliteCheckpoint(std::string_view content);

// Reads the forest of a checkpoint from treelite 4. INVALID_ARGUMENT if it has another version, or something in it
// cannot be read exactly.
base::Result<Forest> ReadTreeliteCheckpoint(std::string_view content);

}  // namespace inferd::forest

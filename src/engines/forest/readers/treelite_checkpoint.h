#pragma once

#include <string_view>

#include "base/status.h"
#include "engines/forest/model/forest.h"

namespace inferd::forest {

// Whether this is, or begins as, a checkpoint of treelite, of whatever version.
bool IsTreeliteCheckpoint(std::string_view content);

// The forest of one that treelite 4 wrote. INVALID_ARGUMENT: it is of another version, or has something that cannot be
// read exactly.
base::Result<Forest> ReadTreeliteCheckpoint(std::string_view content);

}  // namespace inferd::forest

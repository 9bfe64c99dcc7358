#pragma once

#include "base/status.h"
#include "engines/forest/model/forest.h"
#include "engines/forest/readers/text_section.h"

namespace inferd::forest {

// Reads one tree of a LightGBM model. Its leaves become the last of its nodes, in the file's order.
base::Result<Tree> ReadLightGbmTree(const TextSection& section);

}  // namespace inferd::forest

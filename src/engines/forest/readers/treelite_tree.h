#pragma once

#include "base/status.h"
#include "engines/forest/model/forest.h"
#include "engines/forest/readers/byte_reader.h"
#include "engines/forest/readers/set_builder.h"

namespace inferd::forest {

// Takes the next tree of a checkpoint, with thresholds and leaves of this precision. Leaves have one value, or
// `groups`.
base::Result<Tree> TakeTreeliteTree(ByteReader& reader, Precision precision, uint32_t groups, SetBuilder& builder);

}  // namespace inferd::forest

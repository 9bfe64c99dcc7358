#pragma once

#include <string>
#include <string_view>

#include "base/status.h"

namespace inferd::tensorjson {

// Returns the elements of the JSON array `text`, however they are nested, as one flat array in the same order. The
// elements are copied as they are written, and must be read strictly afterwards. INVALID_ARGUMENT if `text` is not
// well-formed or nested more than 64 levels deep.
base::Result<std::string> FlattenLists(std::string_view text);

}  // namespace inferd::tensorjson

#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "storage/source/stored_object.h"

namespace inferd::storage {

// Parses one page of a bucket's objects (JSON API v1, objects.list). Tags are generations. INVALID_ARGUMENT if it is
// none.
base::Result<ObjectPage> ReadGsPage(std::string_view json);

// Returns "The specified bucket does not exist." from an error's JSON, or "" if it is none.
std::string ReadGsError(std::string_view json);

}  // namespace inferd::storage

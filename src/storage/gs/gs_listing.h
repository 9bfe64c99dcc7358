#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "storage/source/stored_object.h"

namespace inferd::storage {

// One page of a bucket's objects (JSON API v1, objects.list), whose tags are generations. INVALID_ARGUMENT: it is none.
base::Result<ObjectPage> ReadGsPage(std::string_view json);

// "The specified bucket does not exist." of an error's JSON; empty: it is none.
std::string ReadGsError(std::string_view json);

}  // namespace inferd::storage

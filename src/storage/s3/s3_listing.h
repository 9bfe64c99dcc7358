#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "storage/source/stored_object.h"

namespace inferd::storage {

// One page of a bucket's objects (ListObjectsV2 with encoding-type=url), whose tags are ETags as the header has them.
// INVALID_ARGUMENT: it is no such page.
base::Result<ObjectPage> ReadS3Page(std::string_view xml);

// "NoSuchBucket: The specified bucket does not exist" of an error's XML; empty: it is none.
std::string ReadS3Error(std::string_view xml);

}  // namespace inferd::storage

#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "storage/source/stored_object.h"

namespace inferd::storage {

// Parses one page of a bucket's objects (ListObjectsV2 with encoding-type=url). Tags are ETags as in the header.
// INVALID_ARGUMENT if it is not such a page.
base::Result<ObjectPage> ReadS3Page(std::string_view xml);

// Returns "NoSuchBucket: The specified bucket does not exist" from an error's XML, or "" if it is none.
std::string ReadS3Error(std::string_view xml);

}  // namespace inferd::storage

#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "storage/source/stored_object.h"

namespace inferd::storage {

// Parses one page of a container's blobs (Blob service REST API, "List Blobs"). Tags are ETags as in the header.
// Folders of accounts with a hierarchical namespace are left out. INVALID_ARGUMENT if it is not such a page.
base::Result<ObjectPage> ReadAzurePage(std::string_view xml);

// Returns "ContainerNotFound: The specified container does not exist." from an error's XML, or "" if it is none.
std::string ReadAzureError(std::string_view xml);

}  // namespace inferd::storage

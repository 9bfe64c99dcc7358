#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "storage/source/stored_object.h"

namespace inferd::storage {

// One page of a container's blobs (Blob service REST API, "List Blobs"), whose tags are ETags as the header has them.
// Folders of accounts with a hierarchical namespace are left out. INVALID_ARGUMENT: it is no such page.
base::Result<ObjectPage> ReadAzurePage(std::string_view xml);

// "ContainerNotFound: The specified container does not exist." of an error's XML; empty: it is none.
std::string ReadAzureError(std::string_view xml);

}  // namespace inferd::storage

#pragma once

#include <filesystem>

#include "base/status.h"

namespace inferd::storage {

// Copies a regular file's bytes to `to`, which must not exist, inside the kernel if possible. If `sync`, they are on
// the disk on return. NOT_FOUND if `from` does not exist. RESOURCE_EXHAUSTED if the disk is full. INTERNAL for other
// errors; then `to` does not exist.
base::Status CopyFile(const std::filesystem::path& from, const std::filesystem::path& to, bool sync);

}  // namespace inferd::storage

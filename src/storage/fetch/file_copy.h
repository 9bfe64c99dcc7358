#pragma once

#include <filesystem>

#include "base/status.h"

namespace inferd::storage {

// Copies a regular file's bytes to `to`, which must not exist, within the kernel where that can; with `sync`, the file
// system has them on return. NOT_FOUND: `from` is not there; RESOURCE_EXHAUSTED: the disk is full; INTERNAL: anything
// else, and then `to` is not there.
base::Status CopyFile(const std::filesystem::path& from, const std::filesystem::path& to, bool sync);

}  // namespace inferd::storage

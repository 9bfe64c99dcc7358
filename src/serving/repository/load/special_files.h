#pragma once

#include <filesystem>

#include "base/status.h"

namespace inferd::repository {

// INVALID_ARGUMENT if a version's folder contains a file on which a library could wait without end: a pipe, a device or
// a socket. Follows links.
base::Status CheckVersionFolder(const std::filesystem::path& version_dir);

// For a model without a readable configuration: INVALID_ARGUMENT if its config.pbtxt exists but is not a file (a
// folder, a pipe, a broken link).
base::Status CheckNoConfiguration(const std::filesystem::path& model_dir);

}  // namespace inferd::repository

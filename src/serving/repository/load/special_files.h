#pragma once

#include <filesystem>

#include "base/status.h"

namespace inferd::repository {

// INVALID_ARGUMENT: a version's folder holds, links followed, what a library could wait for without end: a pipe, a
// device or a socket.
base::Status CheckVersionFolder(const std::filesystem::path& version_dir);

// Of a model without a configuration that can be read: INVALID_ARGUMENT if its config.pbtxt is there and no file (a
// folder, a pipe, a link that leads nowhere).
base::Status CheckNoConfiguration(const std::filesystem::path& model_dir);

}  // namespace inferd::repository

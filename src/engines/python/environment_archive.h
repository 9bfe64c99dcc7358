#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/status.h"
#include "inferd/engine_abi.h"

namespace inferd::python {

// Unpacks an environment's archive (tar, gzip) and returns its folder, which is below the system's temporary folder.
// Unpacks each version of the file once for all servers of this user. `unpacker` is the program inferd_unpack.py, which
// `python` runs with the variables of `environment`. Blocks. INVALID_ARGUMENT if it is no archive, or has entries that
// would be written outside of the folder.
base::Result<std::filesystem::path> UnpackEnvironment(const inferd_host& host, const std::filesystem::path& archive,
                                                      const std::string& python, const std::filesystem::path& unpacker,
                                                      const std::vector<std::string>& environment);

}  // namespace inferd::python

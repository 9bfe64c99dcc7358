#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/status.h"
#include "inferd/engine_abi.h"

namespace inferd::python {

// The folder that an archive of an environment (tar, gzip) is unpacked in: in the system's folder for temporary files,
// once for the file at its time of change, by any server of this user. `unpacker`: the program inferd_unpack.py, which
// `python` runs with the variables of `environment`. Blocks. INVALID_ARGUMENT: the archive is none, or has entries that
// would lie elsewhere.
base::Result<std::filesystem::path> UnpackEnvironment(const inferd_host& host, const std::filesystem::path& archive,
                                                      const std::string& python, const std::filesystem::path& unpacker,
                                                      const std::vector<std::string>& environment);

}  // namespace inferd::python

#pragma once

#include <cstddef>
#include <string>

#include "base/status.h"

namespace inferd::config {

// The text of a file that a person writes. NOT_FOUND: it cannot be read. INVALID_ARGUMENT: it is larger than
// `bytes_max`.
base::Result<std::string> ReadSmallFile(const std::string& path, size_t bytes_max);

// A path under which this process reads `text` as a file, for as long as it runs; nothing is written to a disk.
base::Result<std::string> MakeMemoryFile(const std::string& text);

}  // namespace inferd::config

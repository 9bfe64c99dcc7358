#pragma once

#include <string>

#include "base/status.h"

namespace inferd::config {

// A path under which this process reads `text` as a file, for as long as it runs; nothing is written to a disk.
base::Result<std::string> MakeMemoryFile(const std::string& text);

}  // namespace inferd::config

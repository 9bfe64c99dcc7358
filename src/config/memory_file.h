#pragma once

#include <string>

#include "base/status.h"

namespace inferd::config {

// Returns a path under which this process can read `text` as a file, for as long as it runs. Nothing is written to a
// disk.
base::Result<std::string> MakeMemoryFile(const std::string& text);

}  // namespace inferd::config

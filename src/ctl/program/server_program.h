#pragma once

#include <string>
#include <vector>

#include "base/status.h"

namespace inferd::ctl {

// Returns the path of inferd, which stands beside this program. NOT_FOUND: there is no inferd.
base::Result<std::string> ServerProgram();

// Runs inferd, which stands beside this program, and returns its exit status; what it prints goes to `printed` or, if
// that is null, to where this program's goes. NOT_FOUND: there is no inferd.
base::Result<int> RunServerProgram(const std::vector<std::string>& options, std::string* printed);

}  // namespace inferd::ctl

#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"

namespace inferd::ctl {

// Returns the path of inferd, which stands beside this program. NOT_FOUND: there is no inferd.
base::Result<std::string> ServerProgram();

// Runs inferd, which stands beside this program, and returns its exit status; what it prints goes to `printed` or, if
// that is null, to where this program's goes. If `limit` is given, `printed` must be, too. Errors: NOT_FOUND: there is
// no inferd. DEADLINE_EXCEEDED: it has not ended after `limit`, and was killed.
base::Result<int> RunServerProgram(const std::vector<std::string>& options, std::string* printed,
                                   std::optional<std::chrono::seconds> limit = std::nullopt);

}  // namespace inferd::ctl

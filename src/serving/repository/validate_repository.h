#pragma once

#include <ostream>
#include <span>

#include "base/clock.h"
#include "serving/repository/manager_options.h"

namespace inferd::repository {

// Implements `inferd --dry-run`. Looks at every model of the repositories as the server would, and opens the versions
// that it would serve. With explicit control, these are the models named in startup_models, or all models if it names
// none. Writes the completed configurations and every problem to `out`; serves nothing. Returns the number of problems.
// Blocks until every version was loaded, one by one.
int ValidateRepositories(const ManagerOptions& options, std::span<core::Engine* const> engines,
                         const base::Clock& clock, std::ostream& out);

}  // namespace inferd::repository

#pragma once

#include <ostream>
#include <span>

#include "base/clock.h"
#include "serving/repository/manager_options.h"

namespace inferd::repository {

// `inferd --dry-run`: looks at every model of the repositories as the server would, opens the versions that it would
// serve (with explicit control, of the models named in startup_models, if any are), and writes the completed
// configurations and every problem to `out`; serves nothing. Returns the number of problems. Blocks for as long as
// loading everything one by one takes.
int ValidateRepositories(const ManagerOptions& options, std::span<core::Engine* const> engines,
                         const base::Clock& clock, std::ostream& out);

}  // namespace inferd::repository

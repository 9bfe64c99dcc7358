#pragma once

#include <iosfwd>

#include "base/logging.h"
#include "config/options/server_options.h"

namespace inferd::server {

// Runs `inferd --dry-run`: checks every model of the repositories without serving, and writes the completed
// configurations and every problem to `out`. Returns the program's exit status: 0 if there is no problem, else 1.
int DryRun(const config::ServerOptions& options, base::Logger& logger, std::ostream& out);

}  // namespace inferd::server

#pragma once

#include <iosfwd>

#include "base/logging.h"
#include "config/options/server_options.h"

namespace inferd::server {

// Runs `inferd --list-engines`: writes a JSON list of the engines, with the version of their libraries, their devices
// and their formats. It includes inferd's engines that are not installed, with the command that installs them. Returns
// the program's exit status: 1 if a library in the engines' folder is no engine, or cannot be opened.
int ListEngines(const config::ServerOptions& options, base::Logger& logger, std::ostream& out);

}  // namespace inferd::server

#pragma once

#include <iosfwd>

#include "base/logging.h"
#include "config/options/server_options.h"

namespace inferd::server {

// `inferd --list-engines`: writes as JSON which engines there are, with the version of their libraries, their devices
// and the formats that they read, which of inferd's are not installed, and what installs them. Returns the program's
// exit status: 1 if a library in the folder of engines is none, or does not open.
int ListEngines(const config::ServerOptions& options, base::Logger& logger, std::ostream& out);

}  // namespace inferd::server

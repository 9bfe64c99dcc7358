#pragma once

#include <string>
#include <string_view>

namespace inferd::config {

// Returns the command, to be run in the source tree, that installs an engine which comes with the server.
std::string InstallCommand(std::string_view engine);

// Returns how to get an engine that is not installed or, if it cannot be installed, what to do with the model's file
// instead: a clause without a full stop. Empty if nothing is known about it.
std::string MissingEngineHint(std::string_view engine, const std::string& filename);

}  // namespace inferd::config

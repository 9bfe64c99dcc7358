#pragma once

#include <string>
#include <string_view>

namespace inferd::config {

// What installs an engine that comes with the server, run in its source tree.
std::string InstallCommand(std::string_view engine);

// How to get an engine that is not installed or, where nothing installs it, what to do with the model's file instead: a
// clause without a full stop. Empty: nothing is known about it.
std::string MissingEngineHint(std::string_view engine, const std::string& filename);

}  // namespace inferd::config

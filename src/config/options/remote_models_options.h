#pragma once

#include <chrono>
#include <string>

namespace inferd::config {

// Models that storage URIs name.
struct RemoteModelsOptions {
  std::chrono::milliseconds poll_interval{30'000};  // how often they are looked at; 0: never again
  std::string folder = {};                          // where they come; empty: the system's temporary folder
};

}  // namespace inferd::config

#pragma once

#include <chrono>
#include <string>

namespace inferd::config {

// Models that are given by storage URIs.
struct RemoteModelsOptions {
  std::chrono::milliseconds poll_interval{30'000};  // interval of checks for changes; 0 for never
  std::string folder = {};                          // destination of downloads; the system's temporary folder if empty
};

}  // namespace inferd::config

#pragma once

#include <cstdlib>
#include <functional>
#include <string>

namespace inferd::storage {

// Returns an environment variable's value; empty if it is not set.
using Environment = std::function<std::string(const std::string& name)>;

inline Environment ProcessEnvironment() {
  return [](const std::string& name) {
    const char* const value = std::getenv(name.c_str());
    return std::string(value == nullptr ? "" : value);
  };
}

}  // namespace inferd::storage

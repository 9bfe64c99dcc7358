#pragma once

#include <map>
#include <string>
#include <utility>

#include "storage/source/environment.h"

namespace inferd::storage {

// An environment of these variables, for tests.
inline Environment FakeEnvironment(std::map<std::string, std::string> variables) {
  return [variables = std::move(variables)](const std::string& name) {
    const auto found = variables.find(name);
    return found == variables.end() ? std::string() : found->second;
  };
}

}  // namespace inferd::storage

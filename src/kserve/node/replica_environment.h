#pragma once

#include <string>
#include <vector>

namespace inferd::node {

// Returns "NAME=VALUE" of those variables of this process that every replica gets, whatever its pod says: PATH, HOME,
// LANG, TMPDIR, and those of `names`. What is not set here is left out. All others stay with the controller, whose
// environment has credentials of storages. Thread-safe as long as no thread changes the environment.
std::vector<std::string> ReplicaEnvironment(const std::vector<std::string>& names);

}  // namespace inferd::node

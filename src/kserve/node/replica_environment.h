#pragma once

#include <string>
#include <vector>

namespace inferd::node {

// Returns "NAME=VALUE" for the variables of this process that every replica gets, whatever its pod says: PATH, HOME,
// LANG, TMPDIR, and those of `names`. Unset variables are left out. Replicas get no other variables, because the
// controller's environment has credentials of storages. Thread-safe as long as no thread changes the environment.
std::vector<std::string> ReplicaEnvironment(const std::vector<std::string>& names);

}  // namespace inferd::node

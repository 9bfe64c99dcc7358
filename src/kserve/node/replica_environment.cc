#include "kserve/node/replica_environment.h"

#include <cstdlib>

namespace inferd::node {

std::vector<std::string> ReplicaEnvironment(const std::vector<std::string>& names) {
  std::vector<std::string> all = {"PATH", "HOME", "LANG", "TMPDIR"};
  all.insert(all.end(), names.begin(), names.end());
  std::vector<std::string> variables;
  for (const std::string& name : all) {
    const char* const value = std::getenv(name.c_str());  // NOLINT(concurrency-mt-unsafe): nothing changes it
    if (value != nullptr) variables.push_back(name + "=" + value);
  }
  return variables;
}

}  // namespace inferd::node

#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "serving/repository/records/dependencies.h"
#include "serving/repository/tree/source.h"

namespace inferd::repository {

// Whether the models of a repository have the others that they depend on, as one look found them.
class DependencyCheck final {
 public:
  explicit DependencyCheck(std::span<const ModelLook> looks);

  // These models, and all that they need.
  Dependencies::Names WithNeeded(Dependencies::Names models) const;
  // What keeps the model from being loaded, each with file and field.
  std::vector<std::string> ProblemsOf(const ModelLook& look) const;

 private:
  std::string ProblemWith(const ModelLook& look, const config::Dependency& dependency) const;

  Dependencies dependencies_;
  std::map<std::string, std::set<int64_t>, std::less<>> versions_;  // that would be served, by model
};

}  // namespace inferd::repository

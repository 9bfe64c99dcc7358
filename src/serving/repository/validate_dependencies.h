#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "serving/repository/records/dependencies.h"
#include "serving/repository/tree/source.h"

namespace inferd::repository {

// Checks that the models of a repository, as one look found them, have the models on which they depend.
class DependencyCheck final {
 public:
  explicit DependencyCheck(std::span<const ModelLook> looks);

  // Returns these models and all models that they need, directly or not.
  Dependencies::Names WithNeeded(Dependencies::Names models) const;
  // Returns the dependency problems that keep the model from being loaded, each with file and field.
  std::vector<std::string> ProblemsOf(const ModelLook& look) const;

 private:
  std::string ProblemWith(const ModelLook& look, const config::Dependency& dependency) const;

  Dependencies dependencies_;
  std::map<std::string, std::set<int64_t>, std::less<>> versions_;  // the versions that would be served, by model
};

}  // namespace inferd::repository

#include "serving/repository/validate_dependencies.h"

#include "base/system/regular_file.h"
#include "config/model/dependency_place.h"
#include "config/model/model_config_parser.h"
#include "serving/repository/records/wanted_versions.h"

namespace inferd::repository {

DependencyCheck::DependencyCheck(std::span<const ModelLook> looks) {
  for (const ModelLook& look : looks) {
    Dependencies::Names needed;
    for (const config::Dependency& dependency : look.rules.dependencies) needed.insert(dependency.model);
    dependencies_.Set(look.name, std::move(needed));
    std::set<int64_t>& versions = versions_[look.name];
    for (const auto& [version, wanted] : SelectWanted(look, {}, {})) versions.insert(version);
  }
}

Dependencies::Names DependencyCheck::WithNeeded(Dependencies::Names models) const {
  models.merge(dependencies_.AllNeededBy(models));
  return models;
}

std::string DependencyCheck::ProblemWith(const ModelLook& look, const config::Dependency& dependency) const {
  const auto other = versions_.find(dependency.model);
  if (other == versions_.end()) return "no repository has a model '" + dependency.model + "'";
  if (dependency.version.has_value() && !other->second.contains(*dependency.version)) {
    return "version " + std::to_string(*dependency.version) + " of model '" + dependency.model +
           "' is not one to be served";
  }
  const std::string circle = dependencies_.CircleOf(look.name);
  const bool leads_back =
      dependency.model == look.name || dependencies_.AllNeededBy({dependency.model}).contains(look.name);
  return leads_back ? "circular dependency between models: " + circle : "";
}

std::vector<std::string> DependencyCheck::ProblemsOf(const ModelLook& look) const {
  std::vector<std::string> problems;
  if (look.rules.dependencies.empty()) return problems;
  const std::string path = (look.model_dir / look.config_file).string();
  const auto text = base::ReadRegularFile(path, config::kModelConfigBytesMax);
  if (!text.has_value()) return problems;
  const auto config = config::ParseModelConfig(*text, path);
  if (!config.has_value()) return problems;
  for (const config::Dependency& dependency : look.rules.dependencies) {
    std::string problem = ProblemWith(look, dependency);
    if (problem.empty()) continue;
    problems.push_back(config::AtDependency(*config->document, dependency, std::move(problem)).ToString());
  }
  return problems;
}

}  // namespace inferd::repository

#include "serving/ensemble/model_needs.h"

#include "config/ensemble.h"

namespace inferd::ensemble {

namespace {

// Bounds the recursion. Ensembles have no circles, and are not this deep.
constexpr int kDepthMax = 64;

void Add(const core::ModelCaller& models, const core::ModelVersion& version, int depth, std::set<std::string>& needs) {
  needs.insert("model '" + version.id().name + "'");
  const config::ModelConfig& config = version.config();
  for (const config::InstanceGroup& group : config.instance_groups) {
    for (const config::Resource& resource : group.resources) needs.insert("resource '" + resource.name + "'");
  }
  if (config.ensemble == nullptr || depth == kDepthMax) return;
  for (const config::EnsembleStep& step : config.ensemble->steps) {
    for (const config::EnsembleCall& call : step.Calls()) {
      const auto found = models.Find(call.model, call.VersionText());
      if (found.has_value()) Add(models, **found, depth + 1, needs);
    }
  }
}

}  // namespace

std::set<std::string> NeedsOf(const core::ModelCaller& models, const core::ModelVersion& version) {
  std::set<std::string> needs;
  Add(models, version, 0, needs);
  return needs;
}

}  // namespace inferd::ensemble

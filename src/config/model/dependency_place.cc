#include "config/model/dependency_place.h"

#include <utility>

#include "config/model/model_config_place.h"

namespace inferd::config {

Problem AtDependency(const ModelConfigDocument& document, const Dependency& dependency, std::string message) {
  const inference::ModelConfig& config = document.message().proto;
  const Place place(document.message());
  for (int i = 0; i < config.inferd().depends_on_size(); ++i) {
    const auto& other = config.inferd().depends_on(i);
    const auto version = other.has_version() ? std::optional(other.version()) : std::nullopt;
    if (other.model() != dependency.model || version != dependency.version) continue;
    return place.In("inferd").In("depends_on", i).At("model", std::move(message));
  }
  for (int i = 0; i < config.ensemble_scheduling().step_size(); ++i) {
    if (config.ensemble_scheduling().step(i).model_name() != dependency.model) continue;
    return place.In("ensemble_scheduling").In("step", i).At("model_name", std::move(message));
  }
  return place.Here(std::move(message));
}

}  // namespace inferd::config

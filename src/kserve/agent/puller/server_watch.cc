#include "kserve/agent/puller/server_watch.h"

#include <utility>

namespace inferd::agent {

ServerModels AskForModels(modelcalls::ModelCalls& calls, const std::string& sample) {
  ServerModels models;
  auto listed = calls.ListReady();
  if (listed.has_value()) {
    models.known = true;
    models.ready = *std::move(listed);
    return models;
  }
  if (listed.error().code() == base::StatusCode::kUnavailable) return models;
  const auto ready = calls.IsReady(sample);
  models.known = ready.has_value();
  models.all = ready.value_or(false);
  return models;
}

}  // namespace inferd::agent

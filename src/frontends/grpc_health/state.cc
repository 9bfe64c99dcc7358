#include "frontends/grpc_health/state.h"

#include <algorithm>

namespace inferd::grpc_health {

State StateOf(const Environment& environment, std::string_view service) {
  const bool draining = environment.draining.load(std::memory_order_relaxed);
  if (service.empty() || std::ranges::find(environment.services, service) != environment.services.end()) {
    return environment.catalog.ServerReady() && !draining ? State::kServing : State::kNotServing;
  }
  const base::Status model = environment.catalog.ModelReady(service, "");
  if (model.code() == base::StatusCode::kNotFound) return State::kUnknown;
  return model.ok() && !draining ? State::kServing : State::kNotServing;
}

}  // namespace inferd::grpc_health

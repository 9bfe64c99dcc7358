#include "protocols/grpc_health/state.h"

#include <algorithm>

namespace inferd::grpc_health {

bool IsModel(const Environment& environment, std::string_view service) {
  return !service.empty() && std::ranges::find(environment.services, service) == environment.services.end();
}

State StateOf(const Environment& environment, std::string_view service) {
  if (IsModel(environment, service)) return StateOfModel(environment, environment.catalog.ModelReady(service, ""));
  const bool draining = environment.draining.load(std::memory_order_relaxed);
  return environment.catalog.ServerReady() && !draining ? State::kServing : State::kNotServing;
}

State StateOfModel(const Environment& environment, const base::Status& readiness) {
  if (readiness.code() == base::StatusCode::kNotFound) return State::kUnknown;
  const bool draining = environment.draining.load(std::memory_order_relaxed);
  return readiness.ok() && !draining ? State::kServing : State::kNotServing;
}

}  // namespace inferd::grpc_health

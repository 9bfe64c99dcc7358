#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "serving/core/model/catalog.h"

namespace inferd::grpc_health {

// The environment of the methods. Everything must outlive the methods and their calls.
struct Environment {
  const core::Catalog& catalog;
  const std::atomic<bool>& draining;          // if true, nothing is reported as serving
  std::vector<std::string> services;          // services that share the server's own state
  std::chrono::milliseconds look_every{100};  // interval of checks for changes, while a client watches
  size_t watchers_max = 1000;                 // per loop: RESOURCE_EXHAUSTED
};

enum class State { kServing, kNotServing, kUnknown };

// Returns the state of the server (""), of one of its services, or of a model's default version. kUnknown if there is
// no such name. Thread-safe.
State StateOf(const Environment& environment, std::string_view service);
// Does the same for a model, by the catalog's answer.
State StateOfModel(const Environment& environment, const base::Status& readiness);
bool IsModel(const Environment& environment, std::string_view service);

}  // namespace inferd::grpc_health

#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "serving/core/model/catalog.h"

namespace inferd::grpc_health {

// Everything outlives the methods and their calls.
struct Environment {
  const core::Catalog& catalog;
  const std::atomic<bool>& draining;          // then nothing is serving, as far as anybody asks
  std::vector<std::string> services;          // those that are in the server's own state
  std::chrono::milliseconds look_every{100};  // for changes, while a client watches
  size_t watchers_max = 1000;                 // per loop: RESOURCE_EXHAUSTED
};

enum class State { kServing, kNotServing, kUnknown };

// Of the server (""), of one of its services, or of a model: its default version's. kUnknown: none of them has that
// name. Thread-safe.
State StateOf(const Environment& environment, std::string_view service);
// The same of a model, by what the catalog says of it.
State StateOfModel(const Environment& environment, const base::Status& readiness);
bool IsModel(const Environment& environment, std::string_view service);

}  // namespace inferd::grpc_health

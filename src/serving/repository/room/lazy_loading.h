#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "serving/repository/room/room_plan.h"

namespace inferd::repository {

// Options of lazy loading: versions are loaded when requests need them.
struct LazyLoading {
  bool enabled = false;
  ModelBudget budget = {};
  std::vector<std::string> pinned_models = {};  // besides those whose configuration says so
  size_t waiters_max = 128;                     // requests of one model that wait for a load
  int64_t wait_max_ms = 60'000;
};

}  // namespace inferd::repository

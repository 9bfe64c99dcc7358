#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace inferd::config {

// Loading of models on demand, and its limits. A budget enables it too.
struct LazyOptions {
  bool enabled = false;
  uint64_t memory_budget = 0;              // bytes of all loaded models together, estimated; 0 for no limit
  uint64_t gpu_memory_budget = 0;          // bytes on each GPU, all models together; 0 for no limit
  uint32_t versions_max = 0;               // loaded at a time; 0 for no limit
  std::vector<std::string> pinned_models;  // loaded at the start and never evicted
  uint32_t waiters_max = 128;              // requests per model that wait for it to be loaded
  std::chrono::milliseconds wait_max{60'000};

  bool on() const { return enabled || memory_budget > 0 || gpu_memory_budget > 0 || versions_max > 0; }
};

}  // namespace inferd::config

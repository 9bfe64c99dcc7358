#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace inferd::config {

// Models that are loaded when requests need them, and how much may be loaded at a time. A budget turns it on too.
struct LazyOptions {
  bool enabled = false;
  uint64_t memory_budget = 0;              // bytes of all loaded models together, by estimate; 0: without limit
  uint64_t gpu_memory_budget = 0;          // bytes of each GPU that they hold together; 0: without limit
  uint32_t versions_max = 0;               // loaded at a time; 0: without limit
  std::vector<std::string> pinned_models;  // loaded at the start and never unloaded for others
  uint32_t waiters_max = 128;              // requests of one model that wait for it to be loaded
  std::chrono::milliseconds wait_max{60'000};

  bool on() const { return enabled || memory_budget > 0 || gpu_memory_budget > 0 || versions_max > 0; }
};

}  // namespace inferd::config

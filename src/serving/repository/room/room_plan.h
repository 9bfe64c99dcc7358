#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/status.h"
#include "serving/repository/records/held_memory.h"

namespace inferd::repository {

// The limits for what is loaded at the same time. 0 means no limit.
struct ModelBudget {
  int64_t bytes_max = 0;
  int64_t versions_max = 0;
  int64_t gpu_bytes_max = 0;  // of each GPU

  bool limited() const { return bytes_max > 0 || versions_max > 0 || gpu_bytes_max > 0; }
};

// One load of a version, which holds memory, as the planner sees it.
struct Resident {
  enum class State {
    kKept,     // must not be unloaded
    kLoading,  // is being loaded, or a loading version needs it
    kBusy,     // serves, with requests in flight
    kIdle,     // serves, with no request
    kLeaving,  // takes no more requests; ends with its last one
  };
  State state = State::kKept;
  HeldMemory held = {};
  int64_t used_ns = 0;  // when a request last came
  int layer = 0;        // number of layers of dependents, which are unloaded before it
};

// Returns true if a version that needs `needed` fits beside the `held_versions` loaded versions, which hold `held`.
bool HasRoom(const ModelBudget& budget, const HeldMemory& held, int64_t held_versions, const HeldMemory& needed);

// The plan for a version that needs room.
struct RoomPlan {
  bool fits = false;          // true if it can be loaded now
  std::vector<size_t> evict;  // indices of residents to unload; plan again when one is gone
  base::Status refusal;       // not OK if it can never fit beside the kept residents
};

// Plans room for a version that needs `needed`; a pure function. Evicts the least recently used residents first, and
// idle ones before busy ones. Evicts no more than needed: to free memory of a GPU, only residents on that GPU, and none
// at all if that would not be enough. Residents that are loading or leaving are waited for. RESOURCE_EXHAUSTED, with
// the figures, if the version needs more than the budget, or more than the kept residents leave of it.
RoomPlan PlanRoom(const ModelBudget& budget, std::span<const Resident> residents, const HeldMemory& needed);

}  // namespace inferd::repository

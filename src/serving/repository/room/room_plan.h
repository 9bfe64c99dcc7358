#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/status.h"
#include "serving/repository/records/held_memory.h"

namespace inferd::repository {

// How much may be loaded at a time. 0: without limit.
struct ModelBudget {
  int64_t bytes_max = 0;
  int64_t versions_max = 0;
  int64_t gpu_bytes_max = 0;  // of each GPU

  bool limited() const { return bytes_max > 0 || versions_max > 0 || gpu_bytes_max > 0; }
};

// A load of a version that holds memory, as the planner sees it.
struct Resident {
  enum class State {
    kKept,     // serves, and is not to be unloaded
    kLoading,  // is being loaded, or needed by one that is
    kBusy,     // serves, and has requests
    kIdle,     // serves, and has none
    kLeaving,  // takes no more requests, and goes with its last one
  };
  State state = State::kKept;
  HeldMemory held = {};
  int64_t used_ns = 0;  // when a request last came
  int layer = 0;        // how many layers of others need it: these go before it
};

// Whether a version that needs so much fits beside what `held_versions` loads hold.
bool HasRoom(const ModelBudget& budget, const HeldMemory& held, int64_t held_versions, const HeldMemory& needed);

// What is to be done about a version that needs room.
struct RoomPlan {
  bool fits = false;          // load it now
  std::vector<size_t> evict;  // unload these, by their place; it is to be planned again when something has gone
  base::Status refusal;       // not OK: it will never fit beside what is kept
};

// Makes room for a version that needs so much; a pure function. The least recently used go first, those without
// requests before all that have some, and no more of them than needed; nothing goes in vain: for room on a GPU, only
// what is on it. What is loading or leaving is waited for. RESOURCE_EXHAUSTED, with figures: it is larger than the
// budget, or than what the kept ones leave of it.
RoomPlan PlanRoom(const ModelBudget& budget, std::span<const Resident> residents, const HeldMemory& needed);

}  // namespace inferd::repository

#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "base/status.h"
#include "serving/core/model/model_id.h"
#include "serving/repository/records/model_records.h"
#include "serving/repository/room/room_plan.h"

namespace inferd::repository {

// What is to be done about the version that is the next to have room.
struct RoomStep {
  core::ModelId id;
  base::Status refusal;              // not OK: it is not to be loaded, and does not wait any more
  bool fits = false;                 // it is to be loaded now, and does not wait any more
  std::vector<core::ModelId> evict;  // otherwise these are to be unloaded, and it waits on
};

// Loads wait for room here, in the order in which they came. It decides, and changes no record. Not thread-safe:
// guarded by the manager's lock.
class RoomKeeper final {
 public:
  explicit RoomKeeper(const ModelBudget& budget) : budget_(budget) {}

  // The version's record says that it waits for room.
  void Queue(const core::ModelId& id) { queue_.push_back(id); }

  // To be called until nothing is left to do, or the next waits on; those that do not wait any more are passed over.
  // Nothing: none waits. Settles the records.
  std::optional<RoomStep> Next(ModelRecords& records);

 private:
  RoomStep StepFor(const core::ModelId& id, const HeldMemory& needed, const ModelRecords& records) const;
  RoomStep PlanFor(const core::ModelId& id, const HeldMemory& needed, const ModelRecords& records,
                   bool is_loading) const;

  const ModelBudget budget_;
  std::deque<core::ModelId> queue_;  // versions that wait for room, or did
};

}  // namespace inferd::repository

#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "base/status.h"
#include "serving/core/model/model_id.h"
#include "serving/repository/records/model_records.h"
#include "serving/repository/room/room_plan.h"

namespace inferd::repository {

// The next step for the version at the head of the queue for room. Exactly one of `refusal`, `fits` and waiting
// applies.
struct RoomStep {
  core::ModelId id;
  base::Status refusal;              // not OK if the version must not be loaded; it has left the queue
  bool fits = false;                 // true if the version is to be loaded now; it has left the queue
  std::vector<core::ModelId> evict;  // otherwise the versions to unload; the version waits on
};

// The queue of loads that wait for room, in the order of their arrival. It decides and changes no record. Not
// thread-safe: guarded by the manager's lock.
class RoomKeeper final {
 public:
  explicit RoomKeeper(const ModelBudget& budget) : budget_(budget) {}

  // Adds a version to the queue. Its record must be in the phase kWaitingForRoom.
  void Queue(const core::ModelId& id) { queue_.push_back(id); }

  // Returns the next step. Call again until it returns nullopt or a step whose version waits on. Skips versions that do
  // not wait any more. Returns nullopt if none waits. Settles the records.
  std::optional<RoomStep> Next(ModelRecords& records);

 private:
  RoomStep StepFor(const core::ModelId& id, const HeldMemory& needed, const ModelRecords& records) const;
  RoomStep PlanFor(const core::ModelId& id, const HeldMemory& needed, const ModelRecords& records,
                   bool is_loading) const;

  const ModelBudget budget_;
  std::deque<core::ModelId> queue_;  // versions that wait for room, or did
};

}  // namespace inferd::repository

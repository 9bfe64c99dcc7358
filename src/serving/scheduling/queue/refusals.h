#pragma once

#include <cstdint>
#include <string>

#include "base/clock.h"
#include "serving/core/scheduler.h"
#include "serving/scheduling/queue/level_queue.h"

namespace inferd::scheduling {

// Answers the requests of one version that leave without having run, and counts them as failures. Completions run
// within, so that no lock may be held. A version may end with the last request that is answered here: of what it owns,
// nothing may be touched afterwards unless another request is left. Thread-safe; what it is made of outlives it.
class Refusals final {
 public:
  Refusals(std::string model, core::VersionStatistics& statistics, const base::Clock& clock)
      : model_(std::move(model)), statistics_(statistics), clock_(clock) {}

  // One that has not waited. `retry_after_ms`: when the client may try again; 0: it is not told.
  void Refuse(core::QueuedRequest& queued, base::Status status, int64_t retry_after_ms = 0) const;
  // One that the adaptive limit has no room for.
  void Shed(core::QueuedRequest& queued, int64_t retry_after_ms) const;
  // Those that have waited, and count as pending.
  void Answer(DroppedEntries dropped) const;

 private:
  const std::string model_;
  core::VersionStatistics& statistics_;
  const base::Clock& clock_;
};

}  // namespace inferd::scheduling

#pragma once

#include <cstdint>
#include <string>

#include "base/clock.h"
#include "serving/core/scheduler.h"
#include "serving/scheduling/queue/level_queue.h"

namespace inferd::scheduling {

// Answers requests of one version that leave without having run, and counts them as failures. Completions run inside of
// the calls, so the caller must hold no lock. The version may be destroyed with the last request that is answered here:
// afterwards, do not touch anything that it owns unless another request is left. Thread-safe; its parts outlive it.
class Refusals final {
 public:
  Refusals(std::string model, core::VersionStatistics& statistics, const base::Clock& clock)
      : model_(std::move(model)), statistics_(statistics), clock_(clock) {}

  // Fails a request that has not waited. `retry_after_ms` is when the client may retry; 0 if it is not told.
  void Refuse(core::QueuedRequest& queued, base::Status status, int64_t retry_after_ms = 0) const;
  // Fails a request that the adaptive limit has no room for.
  void Shed(core::QueuedRequest& queued, int64_t retry_after_ms) const;
  // Fails requests that have waited, and that count as pending.
  void Answer(DroppedEntries dropped) const;

 private:
  const std::string model_;
  core::VersionStatistics& statistics_;
  const base::Clock& clock_;
};

}  // namespace inferd::scheduling

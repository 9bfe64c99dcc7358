#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/status.h"
#include "serving/core/request/infer_request.h"

namespace inferd::core {

class PinnedModel;

// What became of a demand. OK: `model` is up, and stays so while it is held.
struct LoadOutcome {
  base::Status status;
  std::shared_ptr<const PinnedModel> model;
  int64_t retry_after_ms = 0;  // > 0: when a retry may succeed
};

// A request that waits for the version it needs to be loaded. Move-only.
struct LoadDemand {
  std::string model;
  std::string version;                       // as the client wrote it; empty: the server chooses
  int64_t deadline_ns = 0;                   // NowNs at which nobody waits any more; 0: none of its own
  std::shared_ptr<const CancelFlag> cancel;  // null: cannot be cancelled
  // Called once, on any thread: loaded, failed, expired, cancelled, or refused.
  std::move_only_function<void(LoadOutcome&&)> done;
};

// Loads versions because requests wait for them. Thread-safe.
class DemandLoader {
 public:
  virtual ~DemandLoader() = default;
  // Returns at once. Demands for one version become one load. Errors: what Catalog says of versions that are not loaded
  // for requests; UNAVAILABLE: its load failed, too many wait for it already, or it takes too long; RESOURCE_EXHAUSTED:
  // it does not fit beside what has to stay loaded; DEADLINE_EXCEEDED, CANCELLED.
  virtual void Demand(LoadDemand demand) = 0;
};

}  // namespace inferd::core

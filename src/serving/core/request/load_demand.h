#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/status.h"
#include "serving/core/request/infer_request.h"

namespace inferd::core {

class PinnedModel;

// The result of a demand. If OK, `model` is loaded, and stays so while it is held.
struct LoadOutcome {
  base::Status status;
  std::shared_ptr<const PinnedModel> model;
  int64_t retry_after_ms = 0;  // > 0 if a retry may succeed then
};

// A request that waits for its version to be loaded. Move-only.
struct LoadDemand {
  std::string model;
  std::string version;                       // as the client wrote it; empty if the server chooses
  int64_t deadline_ns = 0;                   // NowNs after which nobody waits; 0 if there is no own deadline
  std::shared_ptr<const CancelFlag> cancel;  // null if it cannot be cancelled
  // Called once, on any thread, when the version is loaded, the load failed, or the demand expired, was cancelled or
  // was refused.
  std::move_only_function<void(LoadOutcome&&)> done;
};

// Loads versions on demand: because requests wait for them. Thread-safe.
class DemandLoader {
 public:
  virtual ~DemandLoader() = default;
  // Returns at once. Demands for one version become one load. Errors: Catalog's, for versions that are not loaded on
  // demand; UNAVAILABLE if the load failed, too many requests already wait for it, or it takes too long;
  // RESOURCE_EXHAUSTED if it does not fit beside the versions that must stay loaded; DEADLINE_EXCEEDED; CANCELLED.
  virtual void Demand(LoadDemand demand) = 0;
};

}  // namespace inferd::core

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "serving/core/engine.h"

namespace inferd::worker {

// Decides whether the worker's next response stays in the ring, because the client has not taken the earlier ones. The
// worker continues until the ring is full. Not thread-safe.
class ResponseHold final {
 public:
  // Looks at a request that has had no final response yet. A cancelled request is not held up.
  bool Holds(const core::Execution& execution, size_t request);

  // The last result of Holds() for the same execution.
  bool holding() const { return opening_ != nullptr; }

  // Blocks until the client takes more, `timeout_ns` at most.
  void Wait(int64_t timeout_ns);

 private:
  struct Opening;

  std::shared_ptr<Opening> opening_;  // null while nothing is held
};

}  // namespace inferd::worker

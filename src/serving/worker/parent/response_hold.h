#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "serving/core/engine.h"

namespace inferd::worker {

// Whether the worker's next answer stays in the ring: the client of its request does not take those that came before.
// The worker goes on until the ring is full. For one thread at a time.
class ResponseHold final {
 public:
  // Looks at the request, which has not had its final response. A request that is cancelled is not held up.
  bool Holds(const core::Execution& execution, size_t request);

  // What Holds() said last, of the same execution.
  bool holding() const { return opening_ != nullptr; }

  // Returns once that client takes more, or after `timeout_ns`.
  void Wait(int64_t timeout_ns);

 private:
  struct Opening;

  std::shared_ptr<Opening> opening_;  // null: nothing is held
};

}  // namespace inferd::worker

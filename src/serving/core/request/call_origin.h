#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "serving/core/request/infer_request.h"

namespace inferd::core {

// The executions in which a request was made, the innermost first: models can call models. Immutable, so thread-safe.
struct CallChain {
  std::string model;
  int64_t version = 0;
  std::shared_ptr<const CallChain> before = nullptr;  // of the request that caused this execution; null if a client's
  size_t depth = 1;                                   // the number of executions, from this one outwards

  // Returns the number of executions in the chain that are of that version.
  size_t Count(std::string_view wanted_model, int64_t wanted_version) const {
    size_t count = 0;
    for (const CallChain* call = this; call != nullptr; call = call->before.get()) {
      if (call->model == wanted_model && call->version == wanted_version) ++count;
    }
    return count;
  }
};

// The execution in which a request is made, and what the request inherits from it.
struct CallOrigin {
  std::string model;  // the caller
  int64_t version = 0;
  std::shared_ptr<const CallChain> chain = nullptr;  // of the request that is being executed
  std::shared_ptr<CancelFlag> cancel = nullptr;      // null if no single request is the cause
  int64_t deadline_ns = 0;
  uint64_t priority = 0;
  std::string traceparent = {};
  std::shared_ptr<RequestTrace> trace = nullptr;

  // In a worker process, which has no access to the fields above: the number of the channel that carried the execution,
  // and the execution's number on it.
  uint64_t channel = 0;
  uint32_t execution = 0;
  uint64_t request = 0;  // index in the execution, or kAllRequests for all of them
  static constexpr uint64_t kAllRequests = UINT64_MAX;
};

}  // namespace inferd::core

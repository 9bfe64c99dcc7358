#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "serving/core/request/infer_request.h"

namespace inferd::core {

// The executions that a request was made in, the innermost first: models call models. Immutable, so thread-safe.
struct CallChain {
  std::string model;
  int64_t version = 0;
  std::shared_ptr<const CallChain> before = nullptr;  // of the request that had it executed; null: a client's
  size_t depth = 1;                                   // with those before

  // How many of them are executions of that version.
  size_t Count(std::string_view wanted_model, int64_t wanted_version) const {
    size_t count = 0;
    for (const CallChain* call = this; call != nullptr; call = call->before.get()) {
      if (call->model == wanted_model && call->version == wanted_version) ++count;
    }
    return count;
  }
};

// Whose execution a request is made in, and what it takes over from there.
struct CallOrigin {
  std::string model;  // that makes it
  int64_t version = 0;
  std::shared_ptr<const CallChain> chain = nullptr;  // of the request that is executed there
  std::shared_ptr<CancelFlag> cancel = nullptr;      // null: it is made for no one request
  int64_t deadline_ns = 0;
  uint64_t priority = 0;
  std::string traceparent = {};
  std::shared_ptr<RequestTrace> trace = nullptr;

  // In a worker process, where the server has the rest: the number of the channel on which the execution came, and
  // which of those there it is.
  uint64_t channel = 0;
  uint32_t execution = 0;
  uint64_t request = 0;  // in it; kAllRequests: no one of them
  static constexpr uint64_t kAllRequests = UINT64_MAX;
};

}  // namespace inferd::core

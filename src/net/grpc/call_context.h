#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "net/http/http.h"

namespace inferd::net::grpc {

// Returns the status of a call whose deadline has passed, in the words that gRPC clients themselves use.
inline base::Status DeadlinePassed() { return base::DeadlineExceeded("Deadline Exceeded"); }

// The parts of a call besides its messages (gRPC over HTTP/2, "Requests"). Move-only; may be moved to another thread.
struct CallContext {
  RequestHead head;                   // ASCII metadata among its headers: head.Find("traceparent")
  std::shared_ptr<const void> store;  // owns the memory of head's views
  int64_t received_ns = 0;            // base::Clock::NowNs when the first byte was read
  int64_t deadline_ns = 0;            // NowNs plus grpc-timeout; 0 if there is no deadline

  CallContext() = default;
  CallContext(CallContext&&) = default;
  CallContext& operator=(CallContext&&) = default;

  // "/inference.GRPCInferenceService/ModelInfer"
  std::string_view method() const { return head.target; }

  // Returns the first value of the binary metadata `name`, which ends in "-bin", decoded from base64 with or without
  // padding. nullopt if there is none. INVALID_ARGUMENT if it is not base64.
  base::Result<std::optional<std::string>> FindBinary(std::string_view name) const;
};

}  // namespace inferd::net::grpc

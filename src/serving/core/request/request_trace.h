#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "serving/core/request/infer_request.h"

namespace inferd::core {

// What a request meets on its way, as Triton's traces name it. A tensor's activities carry the tensor, a custom one a
// name of the engine's.
enum class TraceActivity : uint8_t {
  kHttpRecvStart,
  kHttpRecvEnd,
  kGrpcWaitReadStart,
  kGrpcWaitReadEnd,
  kRequestStart,
  kQueueStart,
  kComputeStart,
  kComputeInputEnd,
  kComputeOutputStart,
  kComputeEnd,
  kInferResponseComplete,
  kRequestEnd,
  kHttpSendStart,
  kHttpSendEnd,
  kGrpcSendStart,
  kGrpcSendEnd,
  kTensorQueueInput,
  kTensorBackendInput,
  kTensorBackendOutput,
  kCustom,
};

// What is written down of one request that is traced. It ends, and goes to where traces go, with its last holder.
// Thread-safe.
class RequestTrace {
 public:
  virtual ~RequestTrace() = default;

  // `at_ns`: base::Clock::NowNs.
  virtual void Add(TraceActivity activity, int64_t at_ns) = 0;
  virtual void AddNow(TraceActivity activity) = 0;
  // What an engine says that the request has come to.
  virtual void AddCustom(std::string_view name) = 0;
  // Nothing where the level has no tensors.
  virtual void AddTensor(TraceActivity activity, const InferTensor& tensor) = 0;
  // Of a request that this one has made: an ensemble's step, or a part of one that is split.
  virtual std::shared_ptr<RequestTrace> Child(std::string_view model, std::string_view version) = 0;
  // What the model's own calls name as the span that they are a part of, a W3C `traceparent`; it lives as long as this.
  // Empty: no other program can go on with this trace.
  virtual std::string_view traceparent() const { return {}; }
};

// Where others go on that trace what is done for the request: behind its own trace, or else its client's. Empty: there
// is neither.
inline std::string_view TraceparentOf(const InferRequest& request) {
  const std::string_view own = request.trace == nullptr ? std::string_view() : request.trace->traceparent();
  return own.empty() ? std::string_view(request.traceparent) : own;
}

}  // namespace inferd::core

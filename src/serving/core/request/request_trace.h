#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "serving/core/request/infer_request.h"

namespace inferd::core {

// A step in a request's life, named as in Triton's traces. Tensor activities carry the tensor. A custom activity
// carries a name from the engine.
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

// The trace of one request. It ends when its last holder releases it, and is then exported. Thread-safe.
class RequestTrace {
 public:
  virtual ~RequestTrace() = default;

  // Records an activity. `at_ns` is base::Clock::NowNs.
  virtual void Add(TraceActivity activity, int64_t at_ns) = 0;
  virtual void AddNow(TraceActivity activity) = 0;
  // Records a custom activity, which the engine names.
  virtual void AddCustom(std::string_view name) = 0;
  // Records a tensor, if the trace level includes tensors.
  virtual void AddTensor(TraceActivity activity, const InferTensor& tensor) = 0;
  // Starts the trace of a request that this one has caused: an ensemble's step, or a part of a split request.
  virtual std::shared_ptr<RequestTrace> Child(std::string_view model, std::string_view version) = 0;
  // Returns the W3C `traceparent` for calls that the model makes itself, so that they join this trace. It lives as long
  // as this object. Empty if other programs cannot join the trace.
  virtual std::string_view traceparent() const { return {}; }
};

// Returns the traceparent for calls made on behalf of the request: that of its own trace, or else its client's. Empty
// if there is neither.
inline std::string_view TraceparentOf(const InferRequest& request) {
  const std::string_view own = request.trace == nullptr ? std::string_view() : request.trace->traceparent();
  return own.empty() ? std::string_view(request.traceparent) : own;
}

}  // namespace inferd::core

#pragma once

#include <atomic>
#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/buffer.h"
#include "data/tensor/data_type.h"
#include "data/tensor/shape.h"

namespace inferd::core {

// Predict V2, "Parameters", plus the uint64 and double kinds of the Open Inference Protocol.
using ParameterValue = std::variant<bool, int64_t, uint64_t, double, std::string>;
using Parameters = std::vector<std::pair<std::string, ParameterValue>>;

const ParameterValue* FindParameter(const Parameters& parameters, std::string_view name);

// A tensor with its bytes, as in a request or response: row-major, little-endian, without padding. BYTES elements are
// packed, each as a 32-bit little-endian length and its bytes (Triton's binary tensor extension).
//
// If the wire format allows it, `data` is a view into the received body. It may then start at any address.
struct InferTensor {
  std::string name;
  tensor::DataType datatype = tensor::DataType::kInvalid;
  tensor::Shape shape;
  base::BufferSlice data;
  Parameters parameters;
};

// An output the client asked for.
struct RequestedOutput {
  std::string name;
  Parameters parameters = {};
  // The memory for the output's bytes, from its start. Empty means any memory. If the bytes do not fit, the response is
  // INVALID_ARGUMENT. The engine may write there before the response is sent, even if the request then fails.
  base::Buffer memory = {};
  // True if the receiver accepts the output in a device's memory: it is not copied to the CPU.
  bool on_device = false;
};

// The sequence of a request. A model answers the requests of a sequence with the state that it kept from earlier ones.
struct Sequence {
  std::variant<uint64_t, std::string> id = uint64_t{0};  // 0 or "" if there is none
  bool start = false;                                    // the first request of the sequence, or one that restarts it
  bool end = false;                                      // the last request

  bool named() const {
    const auto* number = std::get_if<uint64_t>(&id);
    return number != nullptr ? *number != 0 : !std::get<std::string>(id).empty();
  }
};

// Set when the server learns that no client waits for the response any more. Queues and engines read it. Thread-safe.
class CancelFlag {
 public:
  CancelFlag() = default;
  // Counts as cancelled if `followed` (may be null) is cancelled, or by its own Cancel().
  explicit CancelFlag(std::shared_ptr<const CancelFlag> followed) : followed_(std::move(followed)) {}

  void Cancel() { cancelled_.store(true, std::memory_order_relaxed); }
  bool cancelled() const {
    return cancelled_.load(std::memory_order_relaxed) || (followed_ != nullptr && followed_->cancelled());
  }

 private:
  std::atomic<bool> cancelled_{false};
  const std::shared_ptr<const CancelFlag> followed_;
};

struct CallChain;
class RequestTrace;
class ResponseFlow;

// One inference request, independent of the protocol. A front-end builds it. The Dispatcher owns it from Infer() on,
// and then the execution, until the engine is done with its buffers. Not thread-safe.
struct InferRequest {
  std::string model_name;
  std::string model_version;  // as the client wrote it; empty if the server chooses
  uint32_t signature = 0;     // index in PinnedModel::signatures() of the version
  bool whole_body = false;    // set by a front-end: its tensors are a whole body and the body of the answer
  std::string id;
  Parameters parameters;  // those without a meaning in the protocol
  boost::container::small_vector<InferTensor, 2> inputs;
  std::vector<RequestedOutput> outputs;    // empty means all
  Sequence sequence;                       // unnamed if it belongs to none
  uint64_t priority = 0;                   // 0 means the model's default level
  uint64_t timeout_us = 0;                 // maximum time in the queue; 0 means the model's default
  int64_t received_ns = 0;                 // base::Clock::NowNs when the first byte was seen
  int64_t deadline_ns = 0;                 // NowNs after which nobody waits for the response; 0 if none
  std::string traceparent;                 // W3C, empty if none
  std::shared_ptr<CancelFlag> cancel;      // null if it cannot be cancelled
  std::shared_ptr<ResponseFlow> flow;      // back-pressure for its responses, if it may have many; null for none
  std::shared_ptr<RequestTrace> trace;     // null if it is not traced
  std::shared_ptr<const CallChain> chain;  // the executions in which it was made; null if a client made it

  // Returns the bytes of all input tensors, in the form that the model gets.
  size_t InputBytes() const {
    size_t bytes = 0;
    for (const InferTensor& input : inputs) bytes += input.data.size();
    return bytes;
  }
};

}  // namespace inferd::core

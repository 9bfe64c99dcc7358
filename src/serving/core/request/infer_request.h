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

// A tensor's bytes as a request or a response carries them: row-major, little-endian, without padding. BYTES elements
// stand packed, each as a 32-bit little-endian length and its bytes (Triton's binary tensor extension).
//
// `data` is a view into the body it came with where the wire allowed that: it may start at any address.
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
  // Where its bytes are to be, from the first one on; empty: anywhere. INVALID_ARGUMENT is the answer if they are more.
  // Written before the answer, and by an engine before that, even if the request fails then.
  base::Buffer memory = {};
  // Whatever takes it takes it on a device, too: it is not brought to the CPU.
  bool on_device = false;
};

// The sequence that a request belongs to: requests that a model answers by what it kept of those before.
struct Sequence {
  std::variant<uint64_t, std::string> id = uint64_t{0};  // 0, "": none
  bool start = false;                                    // it is the first of it, or begins it anew
  bool end = false;                                      // it is the last

  bool named() const {
    const auto* number = std::get_if<uint64_t>(&id);
    return number != nullptr ? *number != 0 : !std::get<std::string>(id).empty();
  }
};

// Set where it is learned that no client waits for the reply any more; read by queues and engines. Thread-safe.
class CancelFlag {
 public:
  CancelFlag() = default;
  // Cancelled as soon as `followed` is (null: none), or by itself.
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

// One inference request, whatever protocol brought it. Built by a front-end, owned by the Dispatcher from Infer() on
// and then by the execution, until the engine is done with its buffers. Not thread-safe.
struct InferRequest {
  std::string model_name;
  std::string model_version;  // as the client wrote it; empty: the server chooses
  uint32_t signature = 0;     // of the version, by its place in PinnedModel::signatures()
  bool whole_body = false;    // a front-end's: its tensors carry a body, and the body that answers it
  std::string id;
  Parameters parameters;  // those that the protocol does not give a meaning to
  boost::container::small_vector<InferTensor, 2> inputs;
  std::vector<RequestedOutput> outputs;    // empty: all
  Sequence sequence;                       // unnamed: it stands for itself
  uint64_t priority = 0;                   // 0: the model's default level
  uint64_t timeout_us = 0;                 // how long it may wait in the queue; 0: the model's default
  int64_t received_ns = 0;                 // base::Clock::NowNs when the first byte was seen
  int64_t deadline_ns = 0;                 // NowNs at which nobody waits any more; 0: none
  std::string traceparent;                 // W3C, empty if none
  std::shared_ptr<CancelFlag> cancel;      // null: cannot be cancelled
  std::shared_ptr<ResponseFlow> flow;      // of its responses, where it may have many; null: they are not held up
  std::shared_ptr<RequestTrace> trace;     // null: it is not traced
  std::shared_ptr<const CallChain> chain;  // the executions that it was made in; null: a client's own

  // Of all its tensors, as the model will see them.
  size_t InputBytes() const {
    size_t bytes = 0;
    for (const InferTensor& input : inputs) bytes += input.data.size();
    return bytes;
  }
};

}  // namespace inferd::core

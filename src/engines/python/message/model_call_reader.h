#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "base/status.h"
#include "engines/python/message/input_blocks.h"
#include "engines/python/message/value_parts.h"
#include "inferd/engine_abi.h"

namespace inferd::python {

// Reads a call of a model from a worker's message:
//
//   model, version or -1, id, inputs, names of outputs, sequence's id or 0, flags, parameters, priority, timeout in us,
//   any number of responses
//   an input: (name, datatype, dimensions, offset, size); flags: 1: the sequence's start, 2: its end
class ModelCallReader final {
 public:
  // Returns false if it is no call. The message must outlive this object.
  bool Read(ItemReader& items, TensorMemory memory);

  const inferd_model_call* call() const { return &call_; }

 private:
  bool ReadInputs(const Value::Items& list, TensorMemory& memory);
  bool ReadSequence(const Value& id, uint64_t flags);
  bool ReadParameters(const Value::Items& list);

  inferd_model_call call_ = {};
  inferd_sequence sequence_ = {};
  std::deque<PlacedTensor> placed_;  // a deque: elements keep their addresses
  std::deque<inferd_call_tensor> inputs_;
  std::vector<const inferd_call_tensor*> input_list_;
  std::vector<inferd_text> outputs_;
  std::vector<inferd_text> names_;
  std::deque<inferd_parameter> parameters_;
  std::vector<const inferd_parameter*> parameter_list_;
};

// The end of a request that is no call, or of a failed one.
struct AskEnd {
  base::Status status;
  bool submitted = true;
  double value = 0;
};
void WriteReply(uint64_t number, const AskEnd& end, MarshalWriter& message);

// Writes a response whose outputs are in `block`, in a memory of `bytes`. If `block` is an error (no room), writes
// that.
void WriteCallResponse(uint64_t number, const inferd_call_response& response,
                       const base::Result<InputBlocks::Block>& block, size_t bytes, MarshalWriter& message);

}  // namespace inferd::python

#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "base/status.h"
#include "engines/python/message/input_blocks.h"
#include "engines/python/message/value_parts.h"
#include "inferd/engine_abi.h"

namespace inferd::python {

// A call of a model, as a worker describes it:
//
//   model, version or -1, id, inputs, names of outputs, sequence's id or 0, flags, parameters, priority, timeout in us,
//   any number of responses
//   an input: (name, datatype, dimensions, offset, size); flags: 1: the sequence's start, 2: its end
class ModelCallReader final {
 public:
  // False: it is none. What it reads is to outlive this.
  bool Read(ItemReader& items, TensorMemory memory);

  const inferd_model_call* call() const { return &call_; }

 private:
  bool ReadInputs(const Value::Items& list, TensorMemory& memory);
  bool ReadSequence(const Value& id, uint64_t flags);
  bool ReadParameters(const Value::Items& list);

  inferd_model_call call_ = {};
  inferd_sequence sequence_ = {};
  std::deque<PlacedTensor> placed_;  // deques: what they hold stays where it is
  std::deque<inferd_call_tensor> inputs_;
  std::vector<const inferd_call_tensor*> input_list_;
  std::vector<inferd_text> outputs_;
  std::vector<inferd_text> names_;
  std::deque<inferd_parameter> parameters_;
  std::vector<const inferd_parameter*> parameter_list_;
};

// What is told of an ask that is no call, or of one that failed.
struct AskEnd {
  base::Status status;
  bool submitted = true;
  double value = 0;
};
void WriteReply(uint64_t number, const AskEnd& end, MarshalWriter& message);

// A response; its outputs lie in `block`, of a memory of `bytes`. An error: there was no room for them, which is told.
void WriteCallResponse(uint64_t number, const inferd_call_response& response,
                       const base::Result<InputBlocks::Block>& block, size_t bytes, MarshalWriter& message);

}  // namespace inferd::python

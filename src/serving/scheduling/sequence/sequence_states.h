#pragma once

#include <boost/container/small_vector.hpp>
#include <cstddef>
#include <string>
#include <vector>

#include "base/byte_budget.h"
#include "base/status.h"
#include "serving/core/scheduler.h"

namespace inferd::scheduling {

// The state that a sequence keeps from one request to the next: the configuration's states, in their order. Empty
// before the first request, and for a model without states. It uses the memory of the model's outputs if that wastes
// little, and otherwise a copy. It is charged like outputs, and freed with the sequence.
using KeptState = std::vector<core::InferTensor>;

// The states of a model (ModelSequenceBatching.state): inputs of a request in addition to the client's, and outputs
// that are kept. Immutable.
class SequenceStates final {
 public:
  SequenceStates() = default;

  // Makes the states from `version`'s configuration, and reads the files of initial states. Appends the states' tensors
  // to the version's signature and numbering, after those of clients. `outputs` is the budget that memory is charged
  // to; null if there is none. INVALID_ARGUMENT or NOT_FOUND if there is no such tensor or file, or it has another
  // size.
  static base::Result<SequenceStates> Make(core::SchedulerParts& version, base::ByteBudget* outputs);

  bool empty() const { return states_.empty(); }

  // The positions, in a response, of the outputs to keep.
  struct Places {
    size_t answered = 0;  // this many outputs are the client's, if the model returns all,
    size_t added = 0;     // and this many after them are not
    boost::container::small_vector<size_t, 2> states;
    bool copied = false;  // the outputs' memory belongs to the client
  };
  // Adds the state inputs to a request that is about to run: `kept`, or the initial state. Its responses then include
  // the states' outputs.
  Places Give(core::QueuedRequest& queued, const KeptState& kept) const;
  // Takes the state out of a response, which must be OK and have outputs. INTERNAL if the model returned a wrong shape.
  // RESOURCE_EXHAUSTED if there is no memory.
  base::Status Take(core::InferResponse& response, const Places& places, KeptState& taken) const;

 private:
  struct State {
    core::InferTensor initial;  // as the input
    tensor::Shape shape;        // with the batch dimension, which is 1; -1 means any
    std::string output;
    int input_index = 0;  // in the signature
    int output_index = 0;
  };

  base::Result<core::InferTensor> Keep(const State& state, const core::InferTensor& output, bool copied) const;

  std::string model_;
  std::vector<State> states_;
  base::ByteBudget* outputs_ = nullptr;
  bool copies_ = false;  // outputs are in scarce memory, shared with another process
};

}  // namespace inferd::scheduling

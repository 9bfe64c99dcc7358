#pragma once

#include <boost/container/small_vector.hpp>
#include <cstddef>
#include <string>
#include <vector>

#include "base/byte_budget.h"
#include "base/status.h"
#include "serving/core/scheduler.h"

namespace inferd::scheduling {

// What a sequence keeps from one request for the next: the configuration's states, in their order; none before its
// first request, and of a model without states. Memory is that of the model's outputs as long as that wastes little of
// it, or else a copy; it counts as outputs do, and goes with the sequence.
using KeptState = std::vector<core::InferTensor>;

// The states of a model (ModelSequenceBatching.state): inputs of a request beside those that its client sends, and
// outputs that are kept. Immutable.
class SequenceStates final {
 public:
  SequenceStates() = default;

  // From `version`'s configuration, whose files of initial states are read. Has the signature and its numbering name
  // the states' tensors, too, behind those of clients. `outputs`: what memory is charged to; null: nothing.
  // INVALID_ARGUMENT, NOT_FOUND: there is no such tensor or file, or it has another size.
  static base::Result<SequenceStates> Make(core::SchedulerParts& version, base::ByteBudget* outputs);

  bool empty() const { return states_.empty(); }

  // Where a response has what is to be kept.
  struct Places {
    size_t answered = 0;  // so many outputs are the client's, as far as the model gives them,
    size_t added = 0;     // and so many behind them are not
    boost::container::small_vector<size_t, 2> states;
    bool copied = false;  // the outputs' memory is the client's
  };
  // Of a request that is about to run: gives it `kept`, or what a sequence begins with. Responses have the states'
  // outputs, too.
  Places Give(core::QueuedRequest& queued, const KeptState& kept) const;
  // Takes what is to be kept out of a response that is OK and has outputs. INTERNAL: the model has given another shape
  // than it should. RESOURCE_EXHAUSTED: there is no memory.
  base::Status Take(core::InferResponse& response, const Places& places, KeptState& taken) const;

 private:
  struct State {
    core::InferTensor initial;  // as the input
    tensor::Shape shape;        // batch dimension included, which is 1; -1: any
    std::string output;
    int input_index = 0;  // in the signature
    int output_index = 0;
  };

  base::Result<core::InferTensor> Keep(const State& state, const core::InferTensor& output, bool copied) const;

  std::string model_;
  std::vector<State> states_;
  base::ByteBudget* outputs_ = nullptr;
  bool copies_ = false;  // the memory of outputs is scarce: it is shared with another process
};

}  // namespace inferd::scheduling

#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "serving/core/request/infer_request.h"
#include "serving/core/request/response_flow.h"

namespace inferd::ensemble {

// Returns the tensor under the name that another model or the client uses, in the same memory.
inline core::InferTensor Named(const core::InferTensor& tensor, const std::string& name) {
  return {.name = name, .datatype = tensor.datatype, .shape = tensor.shape, .data = tensor.data, .parameters = {}};
}

enum class TensorState : uint8_t {
  kAwaited,
  kThere,
  kLeftOut,    // an optional input that the request does not have
  kNotComing,  // the step that would have given it is not taken
  kOmitted,    // the model that would have given it omitted it from its response
};

// The responses to one request of a step with any number of them.
struct ResponseLine {
  struct Response {
    std::vector<core::InferTensor> outputs;
    core::Parameters parameters;
    core::ResponseFlow::Place place;
    TensorState missing = TensorState::kOmitted;  // the state of outputs that it lacks
  };
  std::shared_ptr<core::ResponseFlow> flow;  // null if only the client holds them up
  std::deque<Response> waiting;              // for earlier responses
  size_t opened = 0;                         // responses that had a set opened
  size_t going_on = 0;                       // such sets that still exist
  bool finished = false;                     // no further response comes
  bool ended = false;                        // and none waits
};

// The tensors of one depth of a request: the root, or one set for each response of a step with any number of them. Also
// the progress of the steps of that depth. Child k has the k-th response of each such step that was taken in this set,
// and what follows from it. If one model gave fewer responses than another, a child may lack an input of a step: that
// step is then not taken. Plain data; the Board moves it on.
struct TensorSet {
  struct Tensor {
    TensorState state = TensorState::kAwaited;
    size_t makers_left = 0;  // steps that may still give it
    bool omitted = false;    // another maker's model omitted it
    core::InferTensor value = {};
  };

  TensorSet* parent = nullptr;
  size_t number = 0;  // its index among the parent's children
  size_t depth = 0;
  std::vector<Tensor> tensors;                            // by Plan::Tensor::slot
  std::vector<size_t> missing;                            // by Plan::Step::slot: number of tensors still awaited
  size_t answer_missing = 0;                              // at the answer's depth: wanted tensors that are not settled
  size_t open = 0;                                        // tensors, steps, children and answers still outstanding
  std::map<size_t, ResponseLine> lines;                   // by step
  std::map<size_t, std::unique_ptr<TensorSet>> children;  // by number; without the finished ones
  size_t answered = 0;                                    // children that have given their answer, in order
  core::Parameters parameters;                            // of the responses in this set
  std::vector<size_t> opened_by;                          // steps whose responses opened it
  std::vector<core::ResponseFlow::Place> places;          // of those responses
};

}  // namespace inferd::ensemble

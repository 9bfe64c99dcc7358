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

// The tensor as another model, or the client, sees it; in the same memory.
inline core::InferTensor Named(const core::InferTensor& tensor, const std::string& name) {
  return {.name = name, .datatype = tensor.datatype, .shape = tensor.shape, .data = tensor.data, .parameters = {}};
}

enum class TensorState : uint8_t {
  kAwaited,
  kThere,
  kLeftOut,    // an optional input that the request does not have
  kNotComing,  // what would have given it is not taken
  kOmitted,    // the model that would have given it left it out of its response
};

// The responses to one request of a step that has any number of them.
struct ResponseLine {
  struct Response {
    std::vector<core::InferTensor> outputs;
    core::Parameters parameters;
    core::ResponseFlow::Place place;
    TensorState missing = TensorState::kOmitted;  // of the outputs that it does not have
  };
  std::shared_ptr<core::ResponseFlow> flow;  // null: they are held up by the client alone
  std::deque<Response> waiting;              // for others to be done with
  size_t opened = 0;                         // had a set opened for them,
  size_t going_on = 0;                       // and this many of these sets are still there
  bool finished = false;                     // there is no further response,
  bool ended = false;                        // and none that waits
};

// What there is of a request once (the root), or once for each response of a step with any number of them: the tensors
// of one depth, and how far the steps of that depth are. Child k has the k-th response of each such step that was taken
// in this set, and what else comes of these. A child that lacks what a step takes, as one model gave fewer responses
// than another, is one in which the step is not taken. Plain data, moved on by the Board.
struct TensorSet {
  struct Tensor {
    TensorState state = TensorState::kAwaited;
    size_t makers_left = 0;  // steps that may still give it
    bool omitted = false;    // the model of one of the others left it out
    core::InferTensor value = {};
  };

  TensorSet* parent = nullptr;
  size_t number = 0;  // its place among the parent's children
  size_t depth = 0;
  std::vector<Tensor> tensors;                            // by Plan::Tensor::slot
  std::vector<size_t> missing;                            // by Plan::Step::slot: tensors that the step waits for
  size_t answer_missing = 0;                              // of the answer's depth: wanted tensors that have not settled
  size_t open = 0;                                        // tensors, steps, children and answers that are still to come
  std::map<size_t, ResponseLine> lines;                   // by step
  std::map<size_t, std::unique_ptr<TensorSet>> children;  // by number; without those that are done with
  size_t answered = 0;                                    // children that have given their answer, in order
  core::Parameters parameters;                            // of the responses in it
  std::vector<size_t> opened_by;                          // steps whose responses opened it
  std::vector<core::ResponseFlow::Place> places;          // of these
};

}  // namespace inferd::ensemble

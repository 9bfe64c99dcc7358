#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/status.h"
#include "serving/core/request/infer_request.h"
#include "serving/core/request/response_flow.h"
#include "serving/ensemble/plan.h"
#include "serving/ensemble/tensor_set.h"

namespace inferd::ensemble {

// Records the tensors of one request as they arrive, and decides which steps begin.
//
// Knows no models and no threads; not thread-safe. Hands out what it does not need any more, so that the caller can
// destroy it without a lock: that may wake engines.
class Board final {
 public:
  // A step to take, or one that was taken.
  struct Task {
    size_t step = 0;
    TensorSet* set = nullptr;  // valid until the step has finished
  };
  // The ensemble's outputs, in the order of `wanted`. An output that a step's model omitted has no datatype.
  struct Answer {
    std::vector<core::InferTensor> outputs;
    core::Parameters parameters;
  };
  using Remains = std::vector<std::unique_ptr<TensorSet>>;

  // A step whose conditions cannot be evaluated.
  struct Failure {
    size_t step = 0;
    base::Status status;
  };

  // `wanted` has indices into the plan's outputs. Plan and request must outlive the board.
  Board(const Plan& plan, const std::vector<int>& wanted, const core::InferRequest& request);

  // Call once for each input of the ensemble, then Begin(). nullopt if the request does not have the input.
  void SetInput(size_t tensor, std::optional<core::InferTensor> value);
  void Begin() { Work(); }

  // Takes a response to a step. RESOURCE_EXHAUSTED if more responses wait than may.
  base::Status Take(const Task& task, std::vector<core::InferTensor>&& outputs, core::Parameters&& parameters);
  // Ends a step's responses. For a step with one response, call after Take(). `parameters` are those of a last response
  // without outputs.
  void Finish(const Task& task, core::Parameters&& parameters);

  // Since the last call: the steps to begin, each of which must be finished; and the steps that are not taken, because
  // their conditions do not hold or no wanted output needs them.
  std::vector<Task> TakeTasks() { return std::exchange(tasks_, {}); }
  std::vector<size_t> TakePassedOver() { return std::exchange(passed_over_, {}); }
  // For an ensemble with any number of responses: the answers since the last call, in the order of the responses from
  // which they come, among responses with the same parent.
  std::vector<Answer> TakeAnswers() { return std::exchange(answers_, {}); }
  Remains TakeRemains() { return std::exchange(remains_, {}); }

  // Returns the first failure, with which the request fails.
  std::optional<Failure> TakeFailure() { return std::exchange(failure_, std::nullopt); }

  // True if every step that will be taken has finished.
  bool done() const { return unfinished_ == 0; }
  // For an ensemble with one response: the answer, once done(). INTERNAL if an output is missing.
  base::Result<Answer> TakeAnswer();
  // The parameters that belong to no answer.
  core::Parameters TakeParameters() { return std::move(parameters_); }

  // Returns the tensor as the step sees it. Null if the step goes without it.
  const core::InferTensor* Find(const Task& task, size_t tensor) const;
  // Returns the flow for the step's responses. Null if they are not held up.
  std::shared_ptr<core::ResponseFlow> FlowOf(const Task& task);

 private:
  using Response = ResponseLine::Response;

  const TensorSet::Tensor& At(const TensorSet& set, size_t tensor) const;
  std::unique_ptr<TensorSet> NewSet(TensorSet* parent);
  TensorSet& Child(TensorSet& parent, size_t number);
  void Settle(TensorSet& set, size_t tensor, TensorState state, std::optional<core::InferTensor> value);
  // `missing` is the state of the tensors that are not among `outputs`.
  void SettleOutputs(TensorSet& set, size_t step, std::vector<core::InferTensor>&& outputs, TensorState missing);
  void DropOutputs(TensorSet& set, size_t step);
  void CountOff(TensorSet& set, size_t step);
  void CountOffAnswer(TensorSet& set);
  void Shut(TensorSet& set);
  // Repeats until nothing more follows from the tensors so far.
  void Work();
  void Judge(const Task& task);
  bool IsNeeded(size_t step) const { return needed_.empty() || needed_[step]; }
  base::Result<bool> IsTaken(const Task& task) const;
  std::vector<core::InferTensor> DefaultsOf(const Task& task) const;
  void PassOver(const Task& task);
  void Open(TensorSet& set, size_t step, ResponseLine& line, Response&& response);
  void OpenWaiting(TensorSet& set, size_t step, ResponseLine& line);
  void AnswerInOrder(TensorSet& ready);
  void MakeAnswer(const TensorSet& set);
  void Remove(TensorSet& set);

  const Plan& plan_;
  const core::InferRequest& request_;
  std::vector<size_t> wanted_;   // tensors
  std::vector<bool> is_wanted_;  // by tensor
  std::vector<bool> needed_;     // by step: true if a wanted output needs it. Empty if all are needed
  size_t answer_depth_ = 0;
  std::vector<Task> awaiting_judgement_;  // all their inputs are settled
  std::vector<TensorSet*> complete_;      // all their wanted tensors are settled
  std::vector<TensorSet*> shut_;          // nothing more happens in them
  std::vector<Task> tasks_;
  std::vector<size_t> passed_over_;
  std::vector<Answer> answers_;
  std::optional<Failure> failure_;
  Remains remains_;
  core::Parameters parameters_;
  size_t unfinished_ = 0;
  std::unique_ptr<TensorSet> root_;
};

}  // namespace inferd::ensemble

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

// Where a request's tensors are written down as they come, and which steps begin for it.
//
// Knows no models and no threads; not thread-safe. What it has no use for any more is handed out, to be destroyed where
// no lock is held: that may wake engines.
class Board final {
 public:
  // A step to be taken, or one that was.
  struct Task {
    size_t step = 0;
    TensorSet* set = nullptr;  // valid until the step has finished
  };
  // What the ensemble's outputs are, in the order of `wanted`. One that a step's model left out has no datatype.
  struct Answer {
    std::vector<core::InferTensor> outputs;
    core::Parameters parameters;
  };
  using Remains = std::vector<std::unique_ptr<TensorSet>>;

  // A step of which it cannot be said whether it is to be taken.
  struct Failure {
    size_t step = 0;
    base::Status status;
  };

  // `wanted`: outputs, by their place in the plan. Plan and request outlive this.
  Board(const Plan& plan, const std::vector<int>& wanted, const core::InferRequest& request);

  // Of each input of the ensemble, once; then Begin(). None: the request does not have it.
  void SetInput(size_t tensor, std::optional<core::InferTensor> value);
  void Begin() { Work(); }

  // A response to a step. RESOURCE_EXHAUSTED: there are more of them than may wait.
  base::Status Take(const Task& task, std::vector<core::InferTensor>&& outputs, core::Parameters&& parameters);
  // There is no further one. Of a step with one response: behind Take(). `parameters`: of a last one without outputs.
  void Finish(const Task& task, core::Parameters&& parameters);

  // Since the last call: steps whose time has come, which finish at some time; and those that are not taken, as their
  // conditions do not hold or no wanted output needs them.
  std::vector<Task> TakeTasks() { return std::exchange(tasks_, {}); }
  std::vector<size_t> TakePassedOver() { return std::exchange(passed_over_, {}); }
  // Of an ensemble with any number of responses, since the last call; in the order of the responses that they come of,
  // as far as these have the same parent.
  std::vector<Answer> TakeAnswers() { return std::exchange(answers_, {}); }
  Remains TakeRemains() { return std::exchange(remains_, {}); }

  // The request fails; the first.
  std::optional<Failure> TakeFailure() { return std::exchange(failure_, std::nullopt); }

  // Every step that will be taken has finished.
  bool done() const { return unfinished_ == 0; }
  // Of one with one response, once it is done. INTERNAL: an output did not come.
  base::Result<Answer> TakeAnswer();
  // Those of no answer.
  core::Parameters TakeParameters() { return std::move(parameters_); }

  // The tensor as the step sees it; null: it goes without.
  const core::InferTensor* Find(const Task& task, size_t tensor) const;
  // That of the step's responses; null: they are not held up.
  std::shared_ptr<core::ResponseFlow> FlowOf(const Task& task);

 private:
  using Response = ResponseLine::Response;

  const TensorSet::Tensor& At(const TensorSet& set, size_t tensor) const;
  std::unique_ptr<TensorSet> NewSet(TensorSet* parent);
  TensorSet& Child(TensorSet& parent, size_t number);
  void Settle(TensorSet& set, size_t tensor, TensorState state, std::optional<core::InferTensor> value);
  // `missing`: the state of those that are not among `outputs`.
  void SettleOutputs(TensorSet& set, size_t step, std::vector<core::InferTensor>&& outputs, TensorState missing);
  void DropOutputs(TensorSet& set, size_t step);
  void CountOff(TensorSet& set, size_t step);
  void CountOffAnswer(TensorSet& set);
  void Shut(TensorSet& set);
  // Until nothing follows from what has come.
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
  std::vector<bool> needed_;     // by step: a wanted output needs it; empty: all are needed
  size_t answer_depth_ = 0;
  std::vector<Task> awaiting_judgement_;  // all that they take is settled
  std::vector<TensorSet*> complete_;      // all that is wanted of them is settled
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

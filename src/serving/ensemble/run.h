#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/logging.h"
#include "base/mutex.h"
#include "serving/core/engine.h"
#include "serving/core/model_caller.h"
#include "serving/ensemble/board.h"
#include "serving/ensemble/plan.h"
#include "serving/ensemble/step_counts.h"

namespace inferd::ensemble {

// State that all requests of a loaded ensemble share.
struct LoadedEnsemble {
  Plan plan;
  bool repeats_sequences = false;  // responses have their request's sequence as parameters
  base::Logger* logger = nullptr;  // outlives this. Null if nothing is logged
  std::unique_ptr<StepCounts> counts;
  const core::ModelCaller* models = nullptr;  // outlives this. Null if the ensemble is not executed
};

// The call of a step, fixed when the request arrives: the model that was chosen, and the version that was the latest
// then, so that all steps see one state of the repository. A null version is looked up (and loaded) when the step
// begins.
struct PinnedCall {
  size_t call = 0;  // index into the step's calls
  std::shared_ptr<const core::ModelVersion> version;
};

// One request on its way through an ensemble's steps: calls their models as the Board decides. The first failure of a
// step fails the request, and cancels the steps in flight. Shared by the steps in flight, which may answer on any
// thread.
class Run final : public std::enable_shared_from_this<Run> {
 public:
  // Gets the ensemble's outputs, in the order of `wanted`, or the failure: on any thread, but one after the other, with
  // exactly one final call. If an ensemble with any number of responses does not know its last response in time, a
  // final answer without outputs follows it.
  using Answer = std::move_only_function<void(core::EngineResponse)>;

  // `request` must stay valid until the final answer. `wanted` has indices into the plan's outputs.
  Run(std::shared_ptr<const LoadedEnsemble> ensemble, const core::InferRequest& request, std::vector<int> wanted,
      Answer answer);

  void Start();

 private:
  struct Shadow {
    size_t number = 0;  // index into the step's shadows
    std::unique_ptr<core::InferRequest> request;
  };
  struct Call {
    size_t step = 0;
    std::unique_ptr<core::InferRequest> request;
    core::Completion completion;
    std::vector<Shadow> shadows = {};
  };

  // The work that follows from a response, to be done without the lock.
  struct Next {
    std::vector<Call> calls;
    bool answers = false;
    Board::Remains remains;
    std::unique_ptr<Board> board;
  };

  void Pin();
  Next Follow() REQUIRES(mutex_);
  void GoOn(Next next);
  base::Result<Call> MakeCall(const Board::Task& task) REQUIRES(mutex_);
  std::vector<Shadow> ShadowsOf(const Board::Task& task) REQUIRES(mutex_);
  base::Status AddInputs(const Board::Task& task, const Plan::Call& call, core::InferRequest& request) const
      REQUIRES(mutex_);
  // Converts the outputs of an answer to the form in which the ensemble gives them, and adds the server's parameters.
  base::Status Complete(Board::Answer& answer) const;
  void Make(std::vector<Call> calls);
  void MakeShadow(size_t step, Shadow shadow);
  void OnResponse(const Board::Task& task, core::InferResponse&& response);
  base::Status Note(const Board::Task& task, core::InferResponse& response) REQUIRES(mutex_);
  void Fail(size_t step, base::Status status);
  core::EngineResponse FailureOf(size_t step, const base::Status& status) const;
  // Appends the final answer and returns the board, to be destroyed without the lock. For an ensemble with any number
  // of responses, makes the last undelivered response the final one.
  std::unique_ptr<Board> End() REQUIRES(mutex_);
  // The answer of an ensemble with one response.
  core::EngineResponse OneAnswer() REQUIRES(mutex_);
  // Appends the final answer and returns the board, to be destroyed without the lock.
  std::unique_ptr<Board> Close(core::EngineResponse final) REQUIRES(mutex_);
  void Deliver();

  const std::shared_ptr<const LoadedEnsemble> ensemble_;
  const Plan& plan_;
  const core::InferRequest& request_;
  const std::shared_ptr<core::CancelFlag> cancel_;  // the steps'; follows the request's
  std::vector<PinnedCall> pinned_;
  const std::vector<int> wanted_;  // indices into the plan's outputs
  Answer answer_;                  // used by the delivering thread

  base::Mutex mutex_;
  std::unique_ptr<Board> board_ GUARDED_BY(mutex_);  // null once the final answer is in answers_
  std::deque<core::EngineResponse> answers_ GUARDED_BY(mutex_);
  bool delivers_ GUARDED_BY(mutex_) = false;
};

}  // namespace inferd::ensemble

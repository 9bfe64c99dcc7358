#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/mutex.h"
#include "serving/core/engine.h"
#include "serving/core/model_caller.h"
#include "serving/ensemble/board.h"
#include "serving/ensemble/plan.h"
#include "serving/ensemble/step_counts.h"

namespace inferd::ensemble {

// What all requests of a loaded ensemble share.
struct LoadedEnsemble {
  Plan plan;
  std::unique_ptr<StepCounts> counts;
  const core::ModelCaller* models = nullptr;  // null: it is not executed; else outlives this
};

// What a step calls while a request is on its way: of several, the one that was chosen when it came, and the version
// that was the latest then, so that all steps see one state of the repository. A null version is looked up (and loaded)
// when the step begins.
struct PinnedCall {
  size_t call = 0;  // by its place in the step's calls
  std::shared_ptr<const core::ModelVersion> version;
};

// One request on its way through an ensemble's steps: calls their models as the Board says. The first failure of a step
// is the request's, and gives up what is on its way. Shared by the steps in flight, which may answer on any threads.
class Run final : public std::enable_shared_from_this<Run> {
 public:
  // The ensemble's outputs, in the order of `wanted`, or the failure: on any thread, one after the other, and exactly
  // one that is final. An ensemble with any number of responses ends with its last response if that is known to be the
  // last when it is given, or else with an answer without outputs.
  using Answer = std::move_only_function<void(core::EngineResponse)>;

  // `request` is valid until the final answer. `wanted`: outputs, by their place in the plan.
  Run(std::shared_ptr<const LoadedEnsemble> ensemble, const core::InferRequest& request, std::vector<int> wanted,
      Answer answer);

  void Start();

 private:
  struct Shadow {
    size_t number = 0;  // by its place in the step's shadows
    std::unique_ptr<core::InferRequest> request;
  };
  struct Call {
    size_t step = 0;
    std::unique_ptr<core::InferRequest> request;
    core::Completion completion;
    std::vector<Shadow> shadows = {};
  };

  // What follows from what has come, to be done without the lock.
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
  // Gives outputs the form in which the ensemble gives them.
  base::Status FitOutputs(std::vector<core::InferTensor>& outputs) const;
  void Make(std::vector<Call> calls);
  void MakeShadow(size_t step, Shadow shadow);
  void OnResponse(const Board::Task& task, core::InferResponse&& response);
  base::Status Note(const Board::Task& task, core::InferResponse& response) REQUIRES(mutex_);
  void Fail(size_t step, base::Status status);
  core::EngineResponse FailureOf(size_t step, const base::Status& status) const;
  // Puts the final answer behind the others, and returns what is of no use any more. Of an ensemble with any number of
  // responses, the last one that is not delivered yet is made the final one.
  std::unique_ptr<Board> End() REQUIRES(mutex_);
  // The answer of an ensemble with one response.
  core::EngineResponse OneAnswer() REQUIRES(mutex_);
  // What is of no use any more.
  std::unique_ptr<Board> Close(core::EngineResponse final) REQUIRES(mutex_);
  void Deliver();

  const std::shared_ptr<const LoadedEnsemble> ensemble_;
  const Plan& plan_;
  const core::InferRequest& request_;
  const std::shared_ptr<core::CancelFlag> cancel_;  // the steps'; follows the request's
  std::vector<PinnedCall> pinned_;
  Answer answer_;  // of the thread that delivers

  base::Mutex mutex_;
  std::unique_ptr<Board> board_ GUARDED_BY(mutex_);  // null: the final answer is there
  std::deque<core::EngineResponse> answers_ GUARDED_BY(mutex_);
  bool delivers_ GUARDED_BY(mutex_) = false;
};

}  // namespace inferd::ensemble

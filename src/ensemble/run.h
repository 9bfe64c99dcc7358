#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/mutex.h"
#include "core/engine.h"
#include "core/model_caller.h"
#include "ensemble/plan.h"

namespace inferd::ensemble {

// What the steps' models answer with while a request is on its way: the versions that were the latest when it came, so
// that all its steps see one state of the repository. A null version is looked up (and loaded) when its step begins.
using PinnedSteps = std::vector<std::shared_ptr<const core::ModelVersion>>;

// One request on its way through an ensemble's steps. A step begins once all that it takes is there, or is known not to
// come (an optional input that the request left out); all steps are taken. The first failure of a step is the
// request's, and gives up what is on its way. Shared by the steps in flight, which may answer on any threads.
class Run final : public std::enable_shared_from_this<Run> {
 public:
  // Exactly once, on any thread: the ensemble's outputs, in the order of `wanted`, or the failure.
  using Done = std::move_only_function<void(core::EngineResponse)>;

  // `request` is valid until `done` is called; `models` and `plan` outlive the run. `wanted`: outputs, by their place
  // in the plan.
  Run(const Plan& plan, const core::ModelCaller& models, const core::InferRequest& request, std::vector<int> wanted,
      Done done);

  void Start();

 private:
  struct Tensor {
    bool settled = false;                    // there, or known not to come
    std::optional<core::InferTensor> value;  // none: it does not come
  };

  void Pin();
  // The tensor is there, or does not come: counts it off the steps that take it. Those that wait for nothing more.
  void Settle(size_t tensor, std::optional<core::InferTensor> value, std::vector<size_t>& ready) REQUIRES(mutex_);
  void Begin(const std::vector<size_t>& ready);
  std::unique_ptr<core::InferRequest> MakeRequest(size_t step);
  void OnResponse(size_t step, core::InferResponse&& response);
  void FinishLocked(core::EngineResponse& answer) REQUIRES(mutex_);
  void Fail(size_t step, base::Status status);

  const Plan& plan_;
  const core::ModelCaller& models_;
  const core::InferRequest& request_;
  const std::vector<int> wanted_;
  const std::shared_ptr<core::CancelFlag> cancel_;  // the steps'; follows the request's
  PinnedSteps pinned_;

  base::Mutex mutex_;
  Done done_ GUARDED_BY(mutex_);  // null: it was called
  std::vector<Tensor> tensors_ GUARDED_BY(mutex_);
  std::vector<size_t> missing_ GUARDED_BY(mutex_);  // by step: tensors that it waits for
  size_t steps_left_ GUARDED_BY(mutex_) = 0;
  core::Parameters parameters_ GUARDED_BY(mutex_);  // of the steps' responses
};

}  // namespace inferd::ensemble

#include "serving/ensemble/run.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/turn.h"
#include "serving/ensemble/step_request.h"

namespace inferd::ensemble {

Run::Run(std::shared_ptr<const LoadedEnsemble> ensemble, const core::InferRequest& request, std::vector<int> wanted,
         Answer answer)
    : ensemble_(std::move(ensemble)),
      plan_(ensemble_->plan),
      request_(request),
      cancel_(std::make_shared<core::CancelFlag>(request.cancel)),
      answer_(std::move(answer)),
      board_(std::make_unique<Board>(plan_, wanted, request)) {}

void Run::Pin() {
  pinned_.reserve(plan_.steps.size());
  for (const Plan::Step& step : plan_.steps) {
    PinnedCall& pinned = pinned_.emplace_back();
    if (step.choice.has_value()) pinned.call = step.choice->Of(request_.sequence);
    const Plan::Call& call = step.calls[pinned.call];
    if (auto found = ensemble_->models->Find(call.model, call.version); found.has_value()) {
      pinned.version = *std::move(found);
    }
  }
}

void Run::Start() {
  Pin();
  Next next;
  {
    base::MutexLock lock(mutex_);
    for (const size_t tensor : plan_.inputs) {
      const auto given = std::ranges::find(request_.inputs, plan_.tensors[tensor].name, &core::InferTensor::name);
      board_->SetInput(tensor, given == request_.inputs.end() ? std::nullopt : std::optional(*given));
    }
    board_->Begin();
    next = Follow();
  }
  GoOn(std::move(next));
}

Run::Next Run::Follow() {
  Next next;
  for (const size_t step : board_->TakePassedOver()) ensemble_->counts->PassedOver(step);
  for (const Board::Task& task : board_->TakeTasks()) next.calls.push_back(MakeCall(task));
  for (Board::Answer& answer : board_->TakeAnswers()) {
    answers_.push_back(
        {.outputs = std::move(answer.outputs), .parameters = std::move(answer.parameters), .final = false});
  }
  next.remains = board_->TakeRemains();
  if (const auto failure = board_->TakeFailure(); failure.has_value()) {
    cancel_->Cancel();
    next.board = Close(FailureOf(failure->step, failure->status));
  } else if (board_->done()) {
    next.board = Close(FinalAnswer());
  }
  next.answers = !answers_.empty();
  return next;
}

void Run::GoOn(Next next) {
  if (next.answers) Deliver();
  Make(std::move(next.calls));
}

void Run::AddInputs(const Board::Task& task, core::InferRequest& request) const {
  for (const Plan::Input& input : plan_.steps[task.step].inputs) {
    if (const core::InferTensor* const value = board_->Find(task, input.tensor); value != nullptr) {
      request.inputs.push_back(Named(*value, input.name));
    }
  }
}

Run::Call Run::MakeCall(const Board::Task& task) {
  const Plan::Step& step = plan_.steps[task.step];
  const PinnedCall& pinned = pinned_[task.step];
  Call call{.step = task.step,
            .request = StepRequest(request_, plan_, step, step.calls[pinned.call], pinned.version.get()),
            .completion = {}};
  call.request->cancel = cancel_;
  call.request->flow = board_->FlowOf(task);
  AddInputs(task, *call.request);
  if (!step.shadows.empty()) call.shadows = ShadowsOf(task);
  call.completion = core::Completion([self = shared_from_this(), task](core::InferResponse&& response) {
    self->OnResponse(task, std::move(response));
  });
  return call;
}

std::vector<Run::Shadow> Run::ShadowsOf(const Board::Task& task) {
  const Plan::Step& step = plan_.steps[task.step];
  std::vector<Shadow> shadows;
  for (size_t i = 0; i < step.shadows.size(); ++i) {
    if (step.shadowed[i].Of(request_.sequence) != 0) continue;
    auto request = StepRequest(request_, plan_, step, step.shadows[i], nullptr);
    request->cancel = request_.cancel;
    request->trace = nullptr;  // which ends with the answer
    AddInputs(task, *request);
    shadows.push_back({.number = i, .request = std::move(request)});
  }
  return shadows;
}

void Run::Make(std::vector<Call> calls) {
  for (Call& call : calls) {
    const PinnedCall& pinned = pinned_[call.step];
    ensemble_->counts->Taken(call.step, pinned.call);
    if (pinned.version != nullptr) {
      ensemble_->models->Call(pinned.version, std::move(call.request), std::move(call.completion));
    } else {
      ensemble_->models->Call(std::move(call.request), std::move(call.completion));
    }
    for (Shadow& shadow : call.shadows) MakeShadow(call.step, std::move(shadow));
  }
}

// Never on this thread, on which a client's answer may wait.
void Run::MakeShadow(size_t step, Shadow shadow) {
  base::Turn elsewhere("shadow", false);
  const base::Turn::Scope here(elsewhere);
  const size_t call = plan_.steps[step].calls.size() + shadow.number;
  ensemble_->counts->Taken(step, call);
  ensemble_->models->Call(std::move(shadow.request),
                          core::Completion([ensemble = ensemble_, step, call](core::InferResponse&& response) {
                            if (!response.status.ok()) ensemble->counts->Failed(step, call);
                          }));
}

base::Status Run::Note(const Board::Task& task, core::InferResponse& response) {
  const bool decoupled = plan_.steps[task.step].decoupled;
  if (!decoupled && !response.final) return base::Unimplemented("the model gives any number of responses");
  const bool carries = !decoupled || !response.final || !response.outputs.empty();
  if (carries) {
    INFERD_RETURN_IF_ERROR(board_->Take(task, std::move(response.outputs), std::move(response.parameters)));
    response.parameters.clear();
  }
  if (response.final) board_->Finish(task, std::move(response.parameters));
  return base::OkStatus();
}

void Run::OnResponse(const Board::Task& task, core::InferResponse&& response) {
  if (!response.status.ok()) return Fail(task.step, std::move(response.status));
  Next next;
  base::Status status;
  {
    base::MutexLock lock(mutex_);
    if (board_ == nullptr) return;
    status = Note(task, response);
    if (status.ok()) next = Follow();
  }
  if (!status.ok()) return Fail(task.step, std::move(status));
  GoOn(std::move(next));
}

core::EngineResponse Run::FinalAnswer() {
  if (plan_.decoupled()) return {.parameters = board_->TakeParameters()};
  base::Result<Board::Answer> answer = board_->TakeAnswer();
  if (!answer.has_value()) return {.status = std::move(answer).error()};
  return {.outputs = std::move(answer->outputs), .parameters = std::move(answer->parameters)};
}

void Run::Fail(size_t step, base::Status status) {
  std::unique_ptr<Board> board;
  {
    base::MutexLock lock(mutex_);
    if (board_ == nullptr) return;
    board = Close(FailureOf(step, status));
  }
  cancel_->Cancel();
  Deliver();
}

core::EngineResponse Run::FailureOf(size_t step, const base::Status& status) const {
  const PinnedCall& pinned = pinned_[step];
  ensemble_->counts->Failed(step, pinned.call);
  return {.status =
              base::Status(status.code(), "in ensemble '" + plan_.ensemble + "', step " + std::to_string(step) + " (" +
                                              plan_.steps[step].calls[pinned.call].model + "): " + status.message())};
}

std::unique_ptr<Board> Run::Close(core::EngineResponse final) {
  answers_.push_back(std::move(final));
  return std::move(board_);
}

// On one thread at a time, so that answers are in order. `request_` is gone with the last.
void Run::Deliver() {
  base::MutexLock lock(mutex_);
  if (delivers_) return;
  delivers_ = true;
  while (!answers_.empty()) {
    core::EngineResponse next = std::move(answers_.front());
    answers_.pop_front();
    lock.unlock();
    answer_(std::move(next));
    lock.lock();
  }
  delivers_ = false;
}

}  // namespace inferd::ensemble

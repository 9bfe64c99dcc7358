#include "serving/ensemble/run.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "base/turn.h"
#include "serving/core/model/tensor_reshape.h"
#include "serving/core/request/response_parameters.h"
#include "serving/ensemble/step_request.h"

namespace inferd::ensemble {

namespace {

core::Parameters AsParameters(const core::Sequence& sequence) {
  core::Parameters parameters = {{"sequence_start", sequence.start}, {"sequence_end", sequence.end}};
  if (const auto* const number = std::get_if<uint64_t>(&sequence.id)) {
    parameters.emplace_back("sequence_id", static_cast<int64_t>(*number));
  } else {
    parameters.emplace_back("sequence_id", std::get<std::string>(sequence.id));
  }
  return parameters;
}

}  // namespace

Run::Run(std::shared_ptr<const LoadedEnsemble> ensemble, const core::InferRequest& request, std::vector<int> wanted,
         Answer answer)
    : ensemble_(std::move(ensemble)),
      plan_(ensemble_->plan),
      request_(request),
      cancel_(std::make_shared<core::CancelFlag>(request.cancel)),
      wanted_(std::move(wanted)),
      answer_(std::move(answer)),
      board_(std::make_unique<Board>(plan_, wanted_, request)) {}

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
      std::optional<core::InferTensor> value;
      if (given != request_.inputs.end()) value = *given;
      for (const Plan::Reshape& reshape : plan_.reshapes) {
        if (reshape.tensor != tensor || !value.has_value()) continue;
        value->shape = core::EngineShape(reshape.spec, value->shape, plan_.batches);
      }
      board_->SetInput(tensor, std::move(value));
    }
    board_->Begin();
    next = Follow();
  }
  GoOn(std::move(next));
}

Run::Next Run::Follow() {
  Next next;
  std::optional<core::EngineResponse> failed;
  if (const auto failure = board_->TakeFailure(); failure.has_value()) {
    failed = FailureOf(failure->step, failure->status);
  }
  for (const size_t step : board_->TakePassedOver()) ensemble_->counts->PassedOver(step);
  for (const Board::Task& task : board_->TakeTasks()) {
    base::Result<Call> call = MakeCall(task);
    if (call.has_value()) {
      next.calls.push_back(*std::move(call));
    } else if (!failed.has_value()) {
      failed = FailureOf(task.step, call.error());
    }
  }
  for (Board::Answer& answer : board_->TakeAnswers()) {
    if (base::Status status = Complete(answer); !status.ok()) {
      if (!failed.has_value()) failed = core::EngineResponse{.status = std::move(status)};
      break;
    }
    answers_.push_back(
        {.outputs = std::move(answer.outputs), .parameters = std::move(answer.parameters), .final = false});
  }
  next.remains = board_->TakeRemains();
  if (failed.has_value()) {
    cancel_->Cancel();
    next.board = Close(*std::move(failed));
  } else if (board_->done()) {
    next.board = End();
  }
  next.answers = !answers_.empty();
  return next;
}

void Run::GoOn(Next next) {
  if (next.answers) Deliver();
  Make(std::move(next.calls));
}

base::Status Run::AddInputs(const Board::Task& task, const Plan::Call& call, core::InferRequest& request) const {
  const std::vector<Plan::Input>& inputs = plan_.steps[task.step].inputs;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const core::InferTensor* const value = board_->Find(task, inputs[i].tensor);
    if (value == nullptr) continue;
    request.inputs.push_back(Named(*value, inputs[i].name));
    if (call.takes.empty()) continue;
    const base::Status status = FitRows(call.takes[i], request.inputs.back());
    if (!status.ok()) return status.WithContext("input '" + inputs[i].name + "' of the model");
  }
  return base::OkStatus();
}

base::Status Run::Complete(Board::Answer& answer) const {
  for (size_t i = 0; i < answer.outputs.size(); ++i) {
    core::InferTensor& output = answer.outputs[i];
    const Plan::Tensor& planned = plan_.tensors[plan_.outputs[static_cast<size_t>(wanted_[i])]];
    if (output.datatype == tensor::DataType::kInvalid) {
      if (ensemble_->logger != nullptr && ensemble_->logger->Enabled(base::LogLevel::kVerbose)) {
        ensemble_->logger->Verbose("Composing models did not output tensor " + planned.name);
      }
      continue;
    }
    if (!plan_.mixes_batching) continue;
    const base::Status status = FitRows(planned.as_output, output);
    if (!status.ok()) return status.WithContext("output '" + output.name + "' of ensemble '" + plan_.ensemble + "'");
  }
  if (ensemble_->repeats_sequences && request_.sequence.named()) {
    core::AddResponseParameters(answer.parameters, AsParameters(request_.sequence));
  }
  return base::OkStatus();
}

base::Result<Run::Call> Run::MakeCall(const Board::Task& task) {
  const Plan::Step& step = plan_.steps[task.step];
  const PinnedCall& pinned = pinned_[task.step];
  Call call{.step = task.step,
            .request = StepRequest(request_, plan_, step, step.calls[pinned.call], pinned.version.get()),
            .completion = {}};
  call.request->cancel = cancel_;
  call.request->flow = board_->FlowOf(task);
  INFERD_RETURN_IF_ERROR(AddInputs(task, step.calls[pinned.call], *call.request));
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
    request->trace = nullptr;  // the trace ends with the answer
    if (!AddInputs(task, step.shadows[i], *request).ok()) continue;
    shadows.push_back({.number = i, .request = std::move(request)});
  }
  return shadows;
}

// A thread that works in turns has finished the previous step when the next one is executed there. Any other thread
// belongs to an instance or an engine: return it at once to the model of the previous step, however long the next step
// takes.
void Run::Make(std::vector<Call> calls) {
  std::optional<base::NoExecutions> here;
  if (base::Turn::Current() == nullptr) here.emplace("step");
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

// Never executes on this thread, as a client's response may wait for it.
void Run::MakeShadow(size_t step, Shadow shadow) {
  const base::NoExecutions here("shadow");
  const size_t call = plan_.steps[step].calls.size() + shadow.number;
  ensemble_->counts->Taken(step, call);
  core::Completion completion([ensemble = ensemble_, step, call](core::InferResponse&& response) {
    if (!response.status.ok()) ensemble->counts->Failed(step, call);
  });
  auto version = ensemble_->models->Find(shadow.request->model_name, shadow.request->model_version);
  if (!version.has_value()) return ensemble_->models->Call(std::move(shadow.request), std::move(completion));
  for (core::InferTensor& input : shadow.request->inputs) {
    // The model will refuse an input that does not fit.
    if (!FitRows(FormOfInput((*version)->signature(), input.name), input).ok()) break;
  }
  ensemble_->models->Call(*std::move(version), std::move(shadow.request), std::move(completion));
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

std::unique_ptr<Board> Run::End() {
  if (!plan_.decoupled()) return Close(OneAnswer());
  if (answers_.empty()) return Close({.parameters = board_->TakeParameters()});
  core::EngineResponse& last = answers_.back();
  core::AddResponseParameters(last.parameters, board_->TakeParameters());
  last.final = true;
  return std::move(board_);
}

core::EngineResponse Run::OneAnswer() {
  base::Result<Board::Answer> answer = board_->TakeAnswer();
  if (!answer.has_value()) return {.status = std::move(answer).error()};
  if (base::Status status = Complete(*answer); !status.ok()) return {.status = std::move(status)};
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

// One thread delivers at a time, so that answers stay in order. `request_` is gone after the last.
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

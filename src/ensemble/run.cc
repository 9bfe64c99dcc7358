#include "ensemble/run.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/request/request_trace.h"
#include "core/request/response_parameters.h"

namespace inferd::ensemble {

Run::Run(const Plan& plan, const core::ModelCaller& models, const core::InferRequest& request, std::vector<int> wanted,
         Done done)
    : plan_(plan),
      models_(models),
      request_(request),
      wanted_(std::move(wanted)),
      cancel_(std::make_shared<core::CancelFlag>(request.cancel)),
      done_(std::move(done)),
      tensors_(plan.tensors.size()),
      missing_(plan.steps.size()),
      steps_left_(plan.steps.size()) {
  for (const std::vector<size_t>& consumers : plan.consumers) {
    for (const size_t step : consumers) ++missing_[step];
  }
}

void Run::Pin() {
  pinned_.reserve(plan_.steps.size());
  for (const Plan::Step& step : plan_.steps) {
    auto found = models_.Find(step.model, step.version);
    pinned_.push_back(found.has_value() ? *std::move(found) : nullptr);
  }
}

void Run::Start() {
  Pin();
  std::vector<size_t> ready;
  {
    base::MutexLock lock(mutex_);
    for (const size_t tensor : plan_.inputs) {
      const auto given = std::ranges::find(request_.inputs, plan_.tensors[tensor], &core::InferTensor::name);
      Settle(tensor, given == request_.inputs.end() ? std::nullopt : std::optional(*given), ready);
    }
  }
  Begin(ready);
}

void Run::Settle(size_t tensor, std::optional<core::InferTensor> value, std::vector<size_t>& ready) {
  if (tensors_[tensor].settled) return;
  tensors_[tensor] = {.settled = true, .value = std::move(value)};
  for (const size_t step : plan_.consumers[tensor]) {
    if (--missing_[step] == 0) ready.push_back(step);
  }
}

void Run::Begin(const std::vector<size_t>& ready) {
  for (const size_t step : ready) {
    std::unique_ptr<core::InferRequest> request = MakeRequest(step);
    if (request == nullptr) return;  // it has failed meanwhile
    core::Completion completion([self = shared_from_this(), step](core::InferResponse&& response) {
      self->OnResponse(step, std::move(response));
    });
    if (pinned_[step] != nullptr) {
      models_.Call(pinned_[step], std::move(request), std::move(completion));
    } else {
      models_.Call(std::move(request), std::move(completion));
    }
  }
}

std::unique_ptr<core::InferRequest> Run::MakeRequest(size_t step) {
  base::MutexLock lock(mutex_);
  if (!done_) return nullptr;
  const Plan::Step& planned = plan_.steps[step];
  auto request = std::make_unique<core::InferRequest>();
  request->model_name = planned.model;
  request->model_version = planned.version;
  request->id = request_.id;
  request->parameters = request_.parameters;
  request->sequence = request_.sequence;
  request->priority = request_.priority;
  request->timeout_us = request_.timeout_us;
  request->received_ns = request_.received_ns;
  request->deadline_ns = request_.deadline_ns;
  request->traceparent = request_.traceparent;
  request->cancel = cancel_;
  if (request_.trace != nullptr) {
    const core::ModelVersion* const version = pinned_[step].get();
    request->trace = request_.trace->Child(planned.model, version == nullptr ? planned.version : version->version());
  }
  for (const auto& [name, tensor] : planned.inputs) {
    const std::optional<core::InferTensor>& value = tensors_[tensor].value;
    if (!value) continue;
    request->inputs.push_back(
        {.name = name, .datatype = value->datatype, .shape = value->shape, .data = value->data, .parameters = {}});
  }
  for (const auto& [name, tensor] : planned.outputs) request->outputs.push_back({.name = name});
  return request;
}

void Run::OnResponse(size_t step, core::InferResponse&& response) {
  if (!response.status.ok()) return Fail(step, std::move(response.status));
  if (!response.final) return Fail(step, base::Unimplemented("the model gives any number of responses"));
  std::vector<size_t> ready;
  core::EngineResponse answer;
  Done done;
  {
    base::MutexLock lock(mutex_);
    if (!done_) return;
    core::AddResponseParameters(parameters_, std::move(response.parameters));
    for (const auto& [name, tensor] : plan_.steps[step].outputs) {
      const auto given = std::ranges::find(response.outputs, name, &core::InferTensor::name);
      Settle(tensor, given == response.outputs.end() ? std::nullopt : std::optional(std::move(*given)), ready);
    }
    if (--steps_left_ == 0) {
      FinishLocked(answer);
      done = std::exchange(done_, nullptr);
    }
  }
  if (done) return done(std::move(answer));
  Begin(ready);
}

void Run::FinishLocked(core::EngineResponse& answer) {
  for (const int output : wanted_) {
    const size_t tensor = plan_.outputs[static_cast<size_t>(output)];
    std::optional<core::InferTensor>& value = tensors_[tensor].value;
    if (!value) {
      answer = {.status = base::Internal("in ensemble '" + plan_.ensemble + "', no step gave the output '" +
                                         plan_.tensors[tensor] + "'")};
      return;
    }
    answer.outputs.push_back({.name = plan_.tensors[tensor],
                              .datatype = value->datatype,
                              .shape = value->shape,
                              .data = value->data,
                              .parameters = {}});
  }
  answer.parameters = std::move(parameters_);
}

void Run::Fail(size_t step, base::Status status) {
  Done done;
  {
    base::MutexLock lock(mutex_);
    done = std::exchange(done_, nullptr);
  }
  if (!done) return;
  cancel_->Cancel();
  done({.status = base::Status(status.code(), "in ensemble '" + plan_.ensemble + "', step " + std::to_string(step) +
                                                  " (" + plan_.steps[step].model + "): " + status.message())});
}

}  // namespace inferd::ensemble

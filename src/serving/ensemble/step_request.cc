#include "serving/ensemble/step_request.h"

#include <algorithm>

#include "serving/core/request/request_trace.h"

namespace inferd::ensemble {

namespace {

// True if the client named device memory for the output, or an enclosing ensemble wants it there.
bool IsWantedOnDevice(const core::InferRequest& request, const std::string& output) {
  const auto wanted = std::ranges::find(request.outputs, output, &core::RequestedOutput::name);
  return wanted != request.outputs.end() && (wanted->on_device || !wanted->memory.place().readable());
}

}  // namespace

std::unique_ptr<core::InferRequest> StepRequest(const core::InferRequest& request, const Plan& plan,
                                                const Plan::Step& step, const Plan::Call& call,
                                                const core::ModelVersion* version) {
  auto made = std::make_unique<core::InferRequest>();
  made->model_name = call.model;
  made->model_version = call.version;
  made->id = request.id;
  made->parameters = request.parameters;
  made->sequence = request.sequence;
  made->priority = request.priority;
  made->timeout_us = request.timeout_us;
  made->received_ns = request.received_ns;
  made->deadline_ns = request.deadline_ns;
  made->traceparent = request.traceparent;
  made->chain = request.chain;
  if (request.trace != nullptr) {
    made->trace = request.trace->Child(call.model, version == nullptr ? call.version : version->version());
  }
  for (const Plan::Output& output : step.outputs) {
    const Plan::Tensor& tensor = plan.tensors[output.tensor];
    made->outputs.push_back(
        {.name = output.name, .on_device = tensor.on_device || IsWantedOnDevice(request, tensor.name)});
  }
  return made;
}

}  // namespace inferd::ensemble

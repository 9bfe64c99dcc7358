#include "ensemble/step_request.h"

#include "core/request/request_trace.h"

namespace inferd::ensemble {

std::unique_ptr<core::InferRequest> StepRequest(const core::InferRequest& request, const Plan::Step& step,
                                                const Plan::Call& call, const core::ModelVersion* version) {
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
  for (const Plan::Output& output : step.outputs) made->outputs.push_back({.name = output.name});
  return made;
}

}  // namespace inferd::ensemble

#include "serving/core/scheduler.h"

#include <string>

#include "base/device_memory.h"
#include "serving/core/model_version.h"
#include "serving/core/request/output_memory.h"
#include "serving/core/request/request_trace.h"

namespace inferd::core {

namespace {

// Copies those inputs to the CPU that are on a device and may not stay there.
base::Status BringToCpu(InferRequest& request, const ModelSignature& signature) {
  for (InferTensor& input : request.inputs) {
    if (input.data.place().readable()) continue;
    const int index = signature.FindInput(input.name);
    if (index >= 0 && signature.inputs[index].takes_device_memory) continue;
    INFERD_ASSIGN_OR_RETURN(input.data, base::Readable(input.data));
  }
  return base::OkStatus();
}

void TraceQueued(RequestTrace& trace, const QueuedRequest& queued) {
  trace.Add(TraceActivity::kRequestStart, queued.queued_ns);
  trace.Add(TraceActivity::kQueueStart, queued.queued_ns);
  for (const InferTensor& input : queued.request->inputs) trace.AddTensor(TraceActivity::kTensorQueueInput, input);
}

}  // namespace

void TraceResponse(RequestTrace& trace, const InferResponse& response) {
  for (const InferTensor& output : response.outputs) trace.AddTensor(TraceActivity::kTensorBackendOutput, output);
  trace.AddNow(TraceActivity::kInferResponseComplete);
  if (response.final) trace.AddNow(TraceActivity::kRequestEnd);
}

base::Status QueuedRequest::Validate() {
  const auto signatures = version->signatures();
  if (request->signature >= signatures.size()) {
    return base::InvalidArgument("model '" + version->id().name + "' has no signature " +
                                 std::to_string(request->signature));
  }
  const ModelSignature& signature = request->signature == 0 ? version->accepted() : *signatures[request->signature];
  if (request->sequence.named() && !signature.sequences) {
    return base::Unimplemented("parameter 'sequence_id': model '" + version->id().name +
                               "' keeps no state between requests");
  }
  INFERD_RETURN_IF_ERROR(BringToCpu(*request, signature));
  return ValidateRequest(*request, version->id().name, signature, &layout);
}

void QueuedRequest::PlaceOutputs() {
  if (request->trace != nullptr) TraceQueued(*request->trace, *this);
  if (NamesOutputMemory(*request)) completion = IntoOutputMemory(*request, std::move(completion));
}

void QueuedRequest::Answer(InferResponse&& response) {
  response.model_name = request->model_name;
  if (version != nullptr) response.model_version = version->version();
  response.id = request->id;
  // Before the response is sent, as the front-end then adds its own part to the trace.
  if (request->trace != nullptr && !held_back) TraceResponse(*request->trace, response);
  if (response.final) {
    slot.Release();
  }
  completion.Send(std::move(response));
}

void QueuedRequest::Fail(base::Status status, int64_t retry_after_ms) {
  InferResponse response;
  response.status = std::move(status);
  response.retry_after_ms = retry_after_ms;
  Answer(std::move(response));
}

void QueuedRequest::Refuse(base::Status status, int64_t retry_after_ms) {
  InferResponse response;
  response.status = std::move(status);
  response.retry_after_ms = retry_after_ms;
  response.refused = true;
  Answer(std::move(response));
}

}  // namespace inferd::core

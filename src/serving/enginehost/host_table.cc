#include "serving/enginehost/host_table.h"

#include <algorithm>
#include <memory>

#include "base/turn.h"
#include "serving/core/request/request_trace.h"
#include "serving/core/request/response_flow.h"
#include "serving/enginehost/batch/batch.h"
#include "serving/enginehost/model/abi_values.h"

namespace inferd::enginehost {

namespace {

// An engine must only name running batches of this server (engine_abi.h, inferd_host.finish).
Batch& Ours(const inferd_batch* batch) { return *const_cast<Batch*>(static_cast<const Batch*>(batch)); }

base::Logger* LoggerOf(const inferd_host* host) { return static_cast<const HostTable*>(host)->logger; }

base::LogLevel Level(int32_t level) {
  return static_cast<base::LogLevel>(std::clamp<int32_t>(level, INFERD_LOG_VERBOSE, INFERD_LOG_ERROR));
}

void SetError(inferd_error* error, int32_t code, inferd_text message) {
  if (error != nullptr) error->status = ToStatus(code, ToView(message));
}

int32_t LogEnabled(const inferd_host* host, int32_t level) {
  const base::Logger* logger = LoggerOf(host);
  return logger != nullptr && logger->Enabled(Level(level)) ? 1 : 0;
}

void Log(const inferd_host* host, int32_t level, inferd_text message) {
  if (base::Logger* logger = LoggerOf(host); logger != nullptr) logger->Log(Level(level), ToView(message));
}

void* AllocateOutput(const inferd_batch* batch, uint32_t output, size_t size) {
  return const_cast<std::byte*>(Ours(batch).AllocateOutput(output, size).data());
}

int32_t AllocateOutputIn(const inferd_batch* batch, uint32_t output, const inferd_memory* wish, inferd_memory* memory) {
  Batch& ours = Ours(batch);
  base::MemoryPlace place;
  const OpenedEngine& engine = ours.model().engine();
  if (wish->kind == INFERD_MEMORY_GPU && wish->device >= 0 && wish->device < engine.device_count) {
    place = {.kind = base::MemoryKind::kGpu, .runtime = engine.runtime, .device = static_cast<uint16_t>(wish->device)};
  }
  const base::BufferSlice given = ours.AllocateOutput(output, wish->size, place);
  *memory = {given.data(), wish->size, static_cast<int32_t>(given.place().kind), given.place().device};
  return given.data() == nullptr ? 0 : 1;
}

int32_t SequenceOf(const inferd_batch* batch, size_t request, inferd_sequence* sequence) {
  const core::Sequence& belongs = Ours(batch).execution().request(request).sequence;
  if (!belongs.named()) return 0;
  const auto* number = std::get_if<uint64_t>(&belongs.id);
  sequence->number = number == nullptr ? 0 : *number;
  sequence->text = number == nullptr ? ToText(std::get<std::string>(belongs.id)) : inferd_text{"", 0};
  sequence->start = belongs.start ? 1 : 0;
  sequence->end = belongs.end ? 1 : 0;
  return 1;
}

int32_t FillsUp(const inferd_batch* batch, size_t request) { return Ours(batch).execution().FillsUp(request) ? 1 : 0; }

uint64_t TimeoutUs(const inferd_batch* batch, size_t request) {
  return Ours(batch).execution().request(request).timeout_us;
}

inferd_text Traceparent(const inferd_batch* batch, size_t request) {
  return ToText(core::TraceparentOf(Ours(batch).execution().request(request)));
}

int32_t AwaitReadable(const inferd_host* /*host*/, int descriptor, void (*ready)(void* arg), void* arg) {
  const base::Turn::Recall recall;
  base::Turn* const turn = base::Turn::Current();
  return turn != nullptr && turn->AwaitReadable(descriptor, [ready, arg] { ready(arg); }) ? 1 : 0;
}

void Respond(const inferd_batch* batch, size_t request, const inferd_response* response) {
  if (request == INFERD_ALL_REQUESTS) {
    Ours(batch).RespondAll(*response);
  } else {
    Ours(batch).Respond(request, *response);
  }
}

void Finish(const inferd_batch* batch) { Ours(batch).End(); }

int32_t IsCancelled(const inferd_batch* batch, size_t request) {
  return Ours(batch).execution().IsCancelled(request) ? 1 : 0;
}

inferd_text RequestId(const inferd_batch* batch, size_t request) {
  return ToText(Ours(batch).execution().request(request).id);
}

int32_t FindParameter(const inferd_batch* batch, size_t request, inferd_text name, inferd_parameter* value) {
  const auto& parameters = Ours(batch).execution().request(request).parameters;
  const core::ParameterValue* found = core::FindParameter(parameters, ToView(name));
  if (found == nullptr) return 0;
  FillParameter(*found, value);
  return 1;
}

int32_t ParameterAt(const inferd_batch* batch, size_t request, size_t position, inferd_text* name,
                    inferd_parameter* value) {
  const auto& parameters = Ours(batch).execution().request(request).parameters;
  if (position >= parameters.size()) return 0;
  *name = ToText(parameters[position].first);
  FillParameter(parameters[position].second, value);
  return 1;
}

int32_t MayRespond(const inferd_batch* batch, size_t request) {
  const core::Execution& execution = Ours(batch).execution();
  const core::ResponseFlow* const flow = execution.request(request).flow.get();
  return flow == nullptr || flow->open() || execution.IsCancelled(request) ? 1 : 0;
}

void WhenMayRespond(const inferd_batch* batch, size_t request, void (*resume)(void* arg), void* arg) {
  const core::Execution& execution = Ours(batch).execution();
  const std::shared_ptr<core::ResponseFlow>& flow = execution.request(request).flow;
  if (flow == nullptr || execution.IsCancelled(request)) return resume(arg);
  flow->WhenOpen([resume, arg] { resume(arg); });
}

void MarkInputsReady(const inferd_batch* batch) { Ours(batch).execution().MarkInputsReady(); }
void MarkInferDone(const inferd_batch* batch) { Ours(batch).execution().MarkInferDone(); }

void TraceActivity(const inferd_batch* batch, size_t request, inferd_text name) {
  const std::shared_ptr<core::RequestTrace>& trace = Ours(batch).execution().request(request).trace;
  if (trace != nullptr) trace->AddCustom(ToView(name));
}

HostCalls& CallsOf(const inferd_host* host) { return *static_cast<const HostTable*>(host)->calls; }

void CallModel(const inferd_host* host, const inferd_batch* batch, size_t request, const inferd_model_call* call,
               HostCalls::Respond respond, void* arg, uint64_t* number) {
  const Batch& ours = Ours(batch);
  core::CallOrigin origin =
      ours.execution().Origin(request < ours.request_count ? request : core::CallOrigin::kAllRequests);
  origin.model = ours.model().name();
  origin.version = ours.model().version();
  CallsOf(host).CallModel(std::move(origin), *call, respond, arg, number);
}

void CancelCall(const inferd_host* host, uint64_t call) { CallsOf(host).CancelCall(call); }
void TakeResponse(const inferd_host* host, uint64_t call) { CallsOf(host).TakeResponse(call); }

void ControlModel(const inferd_host* host, const inferd_model_control* control, HostCalls::Done done, void* arg) {
  CallsOf(host).ControlModel(*control, done, arg);
}

void Tell(inferd_metric_done done, void* arg, const base::Status& status, uint64_t number, double value) {
  done(arg, static_cast<int32_t>(status.code()), ToText(status.message()), number, value);
}

void OpenMetric(const inferd_host* host, const inferd_metric* metric, inferd_metric_done done, void* arg) {
  const auto opened = CallsOf(host).OpenMetric(*metric);
  Tell(done, arg, opened.has_value() ? base::OkStatus() : opened.error(), opened.value_or(0), 0);
}
void ChangeMetric(const inferd_host* host, uint64_t number, int32_t change, double value, inferd_metric_done done,
                  void* arg) {
  const auto changed = CallsOf(host).ChangeMetric(number, change, value);
  Tell(done, arg, changed.has_value() ? base::OkStatus() : changed.error(), number, changed.value_or(0));
}
void CloseMetric(const inferd_host* host, uint64_t number) { CallsOf(host).CloseMetric(number); }

}  // namespace

HostTable::HostTable(base::Logger* process_logger, int process_cpu_threads)
    : inferd_host{}, logger(process_logger), calls(std::make_unique<HostCalls>()) {
  struct_size = sizeof(inferd_host);
  abi_version = INFERD_ENGINE_ABI_VERSION;
  cpu_threads = process_cpu_threads;
  set_error = SetError;
  log_enabled = LogEnabled;
  log = Log;
  allocate_output = AllocateOutput;
  respond = Respond;
  finish = Finish;
  is_cancelled = IsCancelled;
  request_id = RequestId;
  find_parameter = FindParameter;
  mark_inputs_ready = MarkInputsReady;
  mark_infer_done = MarkInferDone;
  parameter_at = ParameterAt;
  may_respond = MayRespond;
  when_may_respond = WhenMayRespond;
  sequence = SequenceOf;
  fills_up = FillsUp;
  allocate_output_in = AllocateOutputIn;
  trace_activity = TraceActivity;
  call_model = CallModel;
  cancel_call = CancelCall;
  take_response = TakeResponse;
  control_model = ControlModel;
  open_metric = OpenMetric;
  change_metric = ChangeMetric;
  close_metric = CloseMetric;
  timeout_us = TimeoutUs;
  traceparent = Traceparent;
  await_readable = AwaitReadable;
}

}  // namespace inferd::enginehost

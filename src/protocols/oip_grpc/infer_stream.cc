#include "protocols/oip_grpc/infer_stream.h"

#include <chrono>
#include <utility>

#include "protocols/call/await_load.h"
#include "protocols/call/tracing.h"
#include "protocols/oip_grpc/codec/message_outline.h"
#include "protocols/v2/traceparent.h"

namespace inferd::oip_grpc {

namespace {

constexpr std::string_view kFinalResponse = "triton_final_response";

base::Status ShuttingDown(bool triton_exact) {
  return base::Unavailable(triton_exact ? "GRPC server is shutting down and has stopped accepting new requests."
                                        : "the server is shutting down");
}

}  // namespace

// One request in flight, shared by the functions that take its next step.
struct InferStream::Execution {
  // True if its responses carry the parameter `triton_final_response`.
  bool tells_final() const { return pinned->signature().decoupled || form.empty_final_response; }
  // Returns the parameters of a failed response.
  core::Parameters FailureParameters(bool final) const {
    if (!tells_final()) return {};
    return {{std::string(kFinalResponse), final}};
  }

  std::shared_ptr<Key> key;
  uint64_t number = 0;  // in the stream's queue
  ResponseForm form;
  std::shared_ptr<const core::PinnedModel> pinned;
  std::string id;
  std::shared_ptr<core::ResponseFlow> flow;   // null if there is only one response
  uint64_t responses = 0;                     // so far; used by the loop
  std::shared_ptr<core::RequestTrace> trace;  // null if the request is not traced
  call::ArrivedResponses arrived;
  bool posted = false;  // one response went through the loop's queue, and others must not overtake it; for the callback
};

InferStream::InferStream(std::shared_ptr<const Environment> environment, std::shared_ptr<StreamSet> set,
                         net::grpc::CallContext&& context, net::grpc::Responder responder)
    : call_(std::move(environment), context, std::move(responder)),
      set_(std::move(set)),
      key_(std::make_shared<Key>(Key{.loop = call_.loop(), .stream = this})),
      cancel_(std::make_shared<core::CancelFlag>()),
      deadline_ns_(context.deadline_ns),
      traceparent_(v2::CheckedTraceparent(context.head.Find("traceparent").value_or(""))),
      errors_end_stream_(context.head.Find("triton_grpc_error") == "true"),
      forwarded_(rpc::KeepForwarded(std::move(context), call_.options())) {
  set_->streams.insert(this);
}

InferStream::~InferStream() {
  set_->streams.erase(this);
  key_->stream = nullptr;
  cancel_->Cancel();
  if (!ended_) call_.LogGone(deadline_ns_);
}

void InferStream::OnMessage(base::BufferSlice message) {
  if (ended_) return;
  const uint64_t number = queue_.OpenRequest();
  if (PreparingIsBig(message, options())) {
    PrepareElsewhere(number, std::move(message));
  } else {
    Dispatch(number, PrepareRequest(message, forwarded_, call_.environment()), message.view());
  }
  UpdateReading();
}

void InferStream::OnHalfClose() {
  half_closed_ = true;
  Send();
}

void InferStream::Drain() {
  draining_ = true;
  Send();
}

void InferStream::PrepareElsewhere(uint64_t request, base::BufferSlice message) {
  preparing_ = true;
  call_.environment().pool.Post([key = key_, request, message = std::move(message), forwarded = forwarded_,
                                 &environment = call_.environment()]() mutable {
    Prepared prepared = PrepareRequest(message, forwarded, environment);
    if (prepared.has_value()) message = {};
    net::Loop& loop = key->loop;
    loop.Post([key = std::move(key), request, prepared = std::move(prepared), message = std::move(message)]() mutable {
      if (key->stream == nullptr) return;
      key->stream->preparing_ = false;
      key->stream->Dispatch(request, std::move(prepared), message.view());
      key->stream->UpdateReading();
    });
  });
}

// `message` is used only if it could not be prepared.
void InferStream::Dispatch(uint64_t number, Prepared prepared, std::string_view message) {
  if (ended_) return;
  if (!prepared.has_value()) return RefuseUnprepared(number, prepared.error(), message);
  const core::InferRequest& request = *prepared->request;
  core::Dispatcher& dispatcher = call_.environment().dispatcher;
  auto pinned = dispatcher.Find(request.model_name, request.model_version);
  if (pinned.has_value()) return Execute(number, *std::move(prepared), *std::move(pinned));
  if (dispatcher.LoadsOnDemand(request.model_name, request.model_version)) {
    return AwaitModel(number, *std::move(prepared));
  }
  RefuseRequest(number, pinned.error(), request.id);
}

void InferStream::Execute(uint64_t number, PreparedRequest prepared, std::shared_ptr<const core::PinnedModel> pinned) {
  std::unique_ptr<core::InferRequest> request = std::move(prepared.request);
  if (pinned->signature().decoupled) {
    request->flow = std::make_shared<core::ResponseFlow>(options().stream_flow, key_->loop);
    number = queue_.MakeUnordered(number);
  }
  auto execution = std::make_shared<Execution>();
  execution->key = key_;
  execution->number = number;
  execution->form = std::move(prepared.form);
  execution->pinned = pinned;
  execution->id = request->id;
  execution->flow = request->flow;
  request->received_ns = call_.environment().clock.NowNs();
  request->deadline_ns = deadline_ns_;
  request->traceparent = traceparent_;
  request->cancel = cancel_;
  execution->trace = call::BeginTrace(call_.environment().dispatcher, *request, pinned->version(),
                                      core::TraceSubject::Transport::kGrpc);
  core::Completion completion(
      [execution = std::move(execution)](core::InferResponse response) { Receive(execution, std::move(response)); });
  call_.environment().dispatcher.Infer(std::move(pinned), std::move(request), std::move(completion));
}

void InferStream::AwaitModel(uint64_t number, PreparedRequest prepared) {
  const core::InferRequest& request = *prepared.request;
  core::LoadDemand demand{.model = request.model_name,
                          .version = request.model_version,
                          .deadline_ns = deadline_ns_,
                          .cancel = cancel_,
                          .done = nullptr};
  call::AwaitLoad(
      call_.environment().dispatcher, key_->loop, std::move(demand), key_,
      [number, prepared = std::move(prepared)](const std::shared_ptr<Key>& key, core::LoadOutcome&& outcome) mutable {
        InferStream* const stream = key->stream;
        if (stream == nullptr || stream->ended_) return;
        if (!outcome.status.ok()) return stream->RefuseRequest(number, outcome.status, prepared.request->id);
        stream->Execute(number, std::move(prepared), std::move(outcome.model));
        stream->Send();  // responses that waited for this request, if its model turned out to be decoupled
      });
}

void InferStream::Receive(const std::shared_ptr<Execution>& execution, core::InferResponse response) {
  Received received{.response = std::move(response), .place = {}};
  if (execution->flow != nullptr) received.place = execution->flow->Enter(received.response);
  net::Loop& loop = execution->key->loop;
  if (loop.InLoopThread() && !execution->posted) return Arrive(execution, std::move(received));
  execution->posted = true;
  if (!execution->arrived.Push(std::move(received))) return;
  loop.Post([execution] {
    execution->arrived.TakeEach([&execution](Received&& arrived) { Arrive(execution, std::move(arrived)); });
  });
}

void InferStream::Arrive(const std::shared_ptr<Execution>& execution, Received received) {
  InferStream* const stream = execution->key->stream;
  if (stream == nullptr) return;
  const std::chrono::milliseconds delay = stream->options().delays.last_response;
  if (delay.count() == 0 || !received.response.final) return stream->OnResponse(execution, std::move(received));
  execution->key->loop.RunAfter(delay, [execution, received = std::move(received)]() mutable {
    if (InferStream* later = execution->key->stream) later->OnResponse(execution, std::move(received));
  });
}

void InferStream::OnResponse(const std::shared_ptr<Execution>& execution, Received received) {
  if (ended_) return;
  if (execution->flow != nullptr && execution->flow->overfull()) {
    return End(base::ResourceExhausted("the client does not take the responses to request '" + execution->id +
                                       "', and the model goes on"));
  }
  core::InferResponse& response = received.response;
  const bool late = deadline_ns_ != 0 && !response.status.ok() && call_.environment().clock.NowNs() >= deadline_ns_;
  if (late) return End(net::grpc::DeadlinePassed());
  const bool final = response.final;
  const bool decoupled = execution->pinned->signature().decoupled;
  // The end of the responses is reported only on request (triton_enable_empty_final_response).
  const bool empty = response.outputs.empty() && response.parameters.empty();
  // Triton sends only the first response of a model that is to give one.
  const bool surplus = !decoupled && execution->responses > 0 && options().triton_exact;
  const bool silent = surplus || (final && response.status.ok() && empty && !execution->form.empty_final_response &&
                                  (decoupled || execution->responses > 0));
  if (!silent) {
    if (execution->tells_final()) response.parameters.emplace_back(kFinalResponse, final);
    Respond(execution, std::move(received));
  }
  if (final) {
    if (execution->form.regions != nullptr) execution->form.regions->End();
    queue_.CloseRequest(execution->number);
  }
  if (execution->trace != nullptr) execution->trace->AddNow(core::TraceActivity::kGrpcSendStart);
  Send();
  if (execution->trace != nullptr) execution->trace->AddNow(core::TraceActivity::kGrpcSendEnd);
}

void InferStream::Respond(const std::shared_ptr<Execution>& execution, Received received) {
  ++execution->responses;
  const uint64_t place = queue_.OpenResponse(execution->number);
  core::InferResponse& response = received.response;
  const bool final = response.final;
  if (response.status.ok() && EncodingIsBig(response, execution->form, options())) {
    return EncodeElsewhere(execution, place, std::move(received));
  }
  StreamResponse ready = response.status.ok() ? Encoded(*execution,
                                                        EncodeResponse(WriteStreamResponse, std::move(response),
                                                                       execution->form, execution->pinned->signature()),
                                                        final)
                                              : ErrorResponse(core::FailureOf(response, options().queue_full),
                                                              execution->id, execution->FailureParameters(final));
  ready.place = std::move(received.place);
  queue_.Put(execution->number, place, std::move(ready));
}

void InferStream::EncodeElsewhere(const std::shared_ptr<Execution>& execution, uint64_t place, Received received) {
  call_.environment().pool.Post([execution, place, received = std::move(received)]() mutable {
    const bool final = received.response.final;
    auto message = EncodeResponse(WriteStreamResponse, std::move(received.response), execution->form,
                                  execution->pinned->signature());
    net::Loop& loop = execution->key->loop;
    loop.Post([execution = std::move(execution), place, final, message = std::move(message),
               waiting = std::move(received.place)]() mutable {
      InferStream* const stream = execution->key->stream;
      if (stream == nullptr || stream->ended_) return;
      StreamResponse ready = stream->Encoded(*execution, std::move(message), final);
      ready.place = std::move(waiting);
      stream->queue_.Put(execution->number, place, std::move(ready));
      stream->Send();
    });
  });
}

StreamResponse InferStream::ErrorResponse(const base::Status& status, std::string_view id,
                                          const core::Parameters& parameters) const {
  if (errors_end_stream_) return {.message = {}, .status = status};
  const std::string_view text =
      status.message().empty() ? base::StatusCodeName(status.code()) : std::string_view(status.message());
  return {.message = WriteStreamError(id, text, parameters)};
}

StreamResponse InferStream::Encoded(const Execution& execution, base::Result<net::grpc::Message> message,
                                    bool final) const {
  if (!message.has_value()) {
    return ErrorResponse(message.error(), execution.id, execution.FailureParameters(final));
  }
  return {.message = *std::move(message)};
}

void InferStream::RefuseUnprepared(uint64_t number, const base::Status& status, std::string_view message) {
  const MessageOutline outline = ReadOutline(message);
  const auto pinned = call_.environment().dispatcher.Find(outline.model_name, outline.model_version);
  if (pinned.has_value() && (*pinned)->signature().decoupled) number = queue_.MakeUnordered(number);
  RefuseRequest(number, status, outline.id);
}

void InferStream::RefuseRequest(uint64_t number, const base::Status& status, std::string_view id) {
  queue_.Put(number, queue_.OpenResponse(number), ErrorResponse(status, id));
  queue_.CloseRequest(number);
  Send();
}

void InferStream::Send() {
  while (writable_ && !ended_) {
    if (SendsLater()) break;
    std::optional<StreamResponse> next = queue_.Next();
    if (!next.has_value()) break;
    if (!next->status.ok()) return End(next->status);
    writable_ = call_.responder().Write(std::move(next->message));
    if (writable_) continue;
    call_.responder().OnWritable([key = key_] {
      if (key->stream == nullptr) return;
      key->stream->writable_ = true;
      key->stream->Send();
    });
  }
  if (ended_) return;
  if (queue_.requests() == 0 && half_closed_) return End({});
  if (queue_.requests() == 0 && draining_) return End(ShuttingDown(options().triton_exact));
  UpdateReading();
}

// True if a response must be delayed, because tests of clients ask for it.
bool InferStream::SendsLater() {
  const std::chrono::milliseconds delay = options().delays.response;
  if (delay.count() == 0 || !queue_.ready() || std::exchange(has_paused_, false)) return false;
  if (std::exchange(pausing_, true)) return true;
  key_->loop.RunAfter(delay, [key = key_] {
    if (key->stream == nullptr) return;
    key->stream->pausing_ = false;
    key->stream->has_paused_ = true;
    key->stream->Send();
  });
  return true;
}

void InferStream::UpdateReading() {
  if (ended_) return;
  const bool read = !preparing_ && writable_ && queue_.requests() < options().stream_requests_max;
  if (std::exchange(reading_, read) == read) return;
  if (read) {
    call_.responder().ResumeReading();
  } else {
    call_.responder().PauseReading();
  }
}

void InferStream::End(const base::Status& status) {
  ended_ = true;
  cancel_->Cancel();
  queue_ = {};  // waiting engines continue, and find their requests cancelled
  call_.Finish(status);
}

}  // namespace inferd::oip_grpc

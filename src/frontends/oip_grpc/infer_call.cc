#include "frontends/oip_grpc/infer_call.h"

#include <utility>

#include "net/off_loop.h"
#include "v2/traceparent.h"

namespace inferd::oip_grpc {

InferCall::InferCall(std::shared_ptr<const Environment> environment, net::grpc::CallContext&& context,
                     base::BufferSlice message, net::grpc::Responder responder)
    : call_(std::move(environment), context, std::move(responder)),
      message_(std::move(message)),
      received_ns_(context.received_ns),
      deadline_ns_(context.deadline_ns),
      traceparent_(v2::CheckedTraceparent(context.head.Find("traceparent").value_or(""))),
      forwarded_(KeepForwarded(std::move(context), call_.options())),
      cancel_(std::make_shared<core::CancelFlag>()) {}

void InferCall::Start(std::shared_ptr<const Environment> environment, net::grpc::CallContext&& context,
                      base::BufferSlice message, net::grpc::Responder responder) {
  Owned self(new InferCall(std::move(environment), std::move(context), std::move(message), std::move(responder)));
  self->call_.responder().OnCancelled([cancel = self->cancel_] { cancel->Cancel(); });
  if (!PreparingIsBig(self->message_, self->call_.options())) {
    self->Prepare();
    return Dispatch(std::move(self));
  }
  base::Executor& pool = self->call_.environment().pool;
  pool.Post([self = std::move(self)]() mutable {
    self->Prepare();
    net::Loop& loop = self->call_.loop();
    loop.Post([self = std::move(self)]() mutable { Dispatch(std::move(self)); });
  });
}

void InferCall::Prepare() {
  auto prepared = PrepareRequest(message_, forwarded_, call_.options());
  message_ = {};  // raw tensors hold it themselves
  if (prepared.has_value()) {
    prepared_ = *std::move(prepared);
  } else {
    failure_ = std::move(prepared).error();
  }
}

void InferCall::Dispatch(Owned self) {
  if (!self->failure_.ok()) return self->Send();
  std::unique_ptr<core::InferRequest> request = std::move(self->prepared_.request);
  self->call_.SetModel(request->model_name, request->model_version);
  self->call_.SetRequestId(request->id);
  core::Dispatcher& dispatcher = self->call_.environment().dispatcher;
  auto pinned = dispatcher.Find(request->model_name, request->model_version);
  if (!pinned.has_value()) {
    self->failure_ = std::move(pinned).error();
    return self->Send();
  }
  self->pinned_ = *pinned;
  request->received_ns = self->received_ns_;
  request->deadline_ns = self->deadline_ns_;
  request->traceparent = std::move(self->traceparent_);
  request->cancel = self->cancel_;
  core::Completion completion(
      [self = std::move(self)](core::InferResponse&& response) mutable { OnResponse(self, std::move(response)); });
  dispatcher.Infer(*std::move(pinned), std::move(request), std::move(completion));
}

void InferCall::OnResponse(Owned& self, core::InferResponse&& response) {
  if (!self->response_.Add(std::move(response))) return;
  const core::InferResponse& single = self->response_.response();
  const Options& options = self->call_.options();
  if (self->response_.many()) {
    self->failure_ = base::Unimplemented("ModelInfer RPC doesn't support models with decoupled transaction policy");
  } else if (!single.status.ok()) {
    self->failure_ = FailureOf(single, options);
    self->retry_after_ms_ = single.retry_after_ms;
  }
  const bool big = self->failure_.ok() && EncodingIsBig(single, self->prepared_.form, options);
  net::Loop& loop = self->call_.loop();
  base::Executor& pool = self->call_.environment().pool;
  net::WorkThenGoOn(
      std::move(self), loop, pool, big, [](InferCall& call) { call.Encode(); }, [](InferCall& call) { call.Send(); });
}

void InferCall::Encode() {
  if (!failure_.ok()) return;
  auto answer =
      EncodeResponse(WriteInferResponse, std::move(response_.response()), prepared_.form, pinned_->signature());
  if (answer.has_value()) {
    answer_ = *std::move(answer);
  } else {
    failure_ = std::move(answer).error();
  }
}

void InferCall::Send() {
  if (cancel_->cancelled()) call_.LogGone(deadline_ns_);
  if (failure_.ok()) {
    call_.Answer(std::move(answer_));
  } else {
    call_.Finish(failure_, retry_after_ms_);
  }
}

}  // namespace inferd::oip_grpc

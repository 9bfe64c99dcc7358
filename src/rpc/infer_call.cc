#include "rpc/infer_call.h"

#include <new>
#include <utility>

#include "net/loop/off_loop.h"
#include "v2/traceparent.h"

namespace inferd::rpc {

InferCall::InferCall(const Surroundings& surroundings, net::grpc::CallContext&& context, base::BufferSlice message,
                     net::grpc::Responder responder)
    : surroundings_(surroundings),
      call_(surroundings, context, std::move(responder)),
      message_(std::move(message)),
      received_ns_(context.received_ns),
      deadline_ns_(context.deadline_ns),
      traceparent_(v2::CheckedTraceparent(context.head.Find("traceparent").value_or(""))),
      forwarded_(KeepForwarded(std::move(context), surroundings.options)),
      cancel_(std::make_shared<core::CancelFlag>()) {}

void InferCall::Start(Owned self) {
  self->call_.responder().OnCancelled([cancel = self->cancel_] { cancel->Cancel(); });
  GoOn(std::move(self));
}

void InferCall::GoOn(Owned self) {
  self->failure_ = self->Begin(self->message_);
  if (!self->failure_.ok()) return self->MayAwaitModel() ? AwaitModel(std::move(self), GoOn) : self->Send();
  if (!self->PreparingIsBig(self->message_)) {
    self->PrepareStep();
    return Dispatch(std::move(self));
  }
  base::Executor& pool = self->surroundings_.pool;
  pool.Post([self = std::move(self)]() mutable {
    self->PrepareStep();
    net::Loop& loop = self->call_.loop();
    loop.Post([self = std::move(self)]() mutable { Dispatch(std::move(self)); });
  });
}

core::VersionName InferCall::Meant() const {
  if (request_ == nullptr) return {};
  return {.model = request_->model_name, .version = request_->model_version};
}

bool InferCall::MayAwaitModel() const {
  if (pinned_ != nullptr || awaited_) return false;
  const core::VersionName meant = Meant();
  return dispatcher().LoadsOnDemand(meant.model, meant.version);
}

void InferCall::AwaitModel(Owned self, void (*resume)(Owned self)) {
  self->awaited_ = true;
  core::Dispatcher& dispatcher = self->dispatcher();
  const core::VersionName meant = self->Meant();
  core::LoadDemand demand{.model = std::string(meant.model),
                          .version = std::string(meant.version),
                          .deadline_ns = self->deadline_ns_,
                          .cancel = self->cancel_,
                          .done = nullptr};
  demand.done = [self = std::move(self), resume](core::LoadOutcome&& outcome) mutable {
    net::Loop& loop = self->call_.loop();
    loop.Post([self = std::move(self), resume, outcome = std::move(outcome)]() mutable {
      if (outcome.status.ok()) {
        self->Pin(std::move(outcome.model));
        return resume(std::move(self));
      }
      self->failure_ = std::move(outcome.status);
      self->retry_after_ms_ = outcome.retry_after_ms;
      self->Send();
    });
  };
  dispatcher.AwaitLoad(std::move(demand));
}

void InferCall::PrepareStep() {
  try {
    auto request = Prepare(message_);
    if (request.has_value()) {
      request_ = *std::move(request);
    } else {
      failure_ = std::move(request).error();
    }
  } catch (const std::bad_alloc&) {
    failure_ = base::ResourceExhausted("not enough memory for this request");
  }
  message_ = {};  // tensors that are views into it hold it themselves
}

void InferCall::Dispatch(Owned self) {
  if (!self->failure_.ok()) return self->Send();
  self->call_.SetModel(self->request_->model_name, self->request_->model_version);
  self->call_.SetRequestId(self->request_->id);
  if (self->pinned_ == nullptr) {
    auto pinned = self->dispatcher().Find(self->request_->model_name, self->request_->model_version);
    if (!pinned.has_value()) {
      if (self->MayAwaitModel()) return AwaitModel(std::move(self), Dispatch);
      self->failure_ = std::move(pinned).error();
      return self->Send();
    }
    self->pinned_ = *std::move(pinned);
  }
  std::unique_ptr<core::InferRequest> request = std::move(self->request_);
  request->received_ns = self->received_ns_;
  request->deadline_ns = self->deadline_ns_;
  request->traceparent = std::move(self->traceparent_);
  request->cancel = self->cancel_;
  self->OnDispatch(*request);
  InferCall& call = *self;
  core::Completion completion(
      [self = std::move(self)](core::InferResponse&& response) mutable { OnResponse(self, std::move(response)); });
  call.Execute(std::move(request), std::move(completion));
}

void InferCall::Execute(std::unique_ptr<core::InferRequest> request, core::Completion completion) {
  std::shared_ptr<const core::PinnedModel> pinned = pinned_;
  dispatcher().Infer(std::move(pinned), std::move(request), std::move(completion));
}

void InferCall::OnResponse(Owned& self, core::InferResponse&& response) {
  if (!self->response_.Add(std::move(response))) return;
  self->OnFinal();
  const core::InferResponse& single = self->response_.response();
  if (self->response_.many()) {
    self->failure_ = self->TooManyResponses();
  } else if (!single.status.ok()) {
    self->failure_ = core::FailureOf(single, self->options().queue_full);
    self->retry_after_ms_ = single.retry_after_ms;
  }
  const bool big = self->failure_.ok() && self->EncodingIsBig(single);
  net::Loop& loop = self->call_.loop();
  base::Executor& pool = self->surroundings_.pool;
  net::WorkThenGoOn(
      std::move(self), loop, pool, big, [](InferCall& call) { call.EncodeStep(); },
      [](InferCall& call) { call.Send(); });
}

void InferCall::EncodeStep() {
  if (!failure_.ok()) return;
  try {
    auto answer = Encode(std::move(response_.response()));
    if (answer.has_value()) {
      answer_ = *std::move(answer);
    } else {
      failure_ = std::move(answer).error();
    }
  } catch (const std::bad_alloc&) {
    failure_ = base::ResourceExhausted("not enough memory for this response");
  }
}

void InferCall::Send() {
  if (pinned_ != nullptr) call_.SetVersion(pinned_->version());
  if (cancel_->cancelled()) call_.LogGone(deadline_ns_);
  OnEnd(failure_.code());
  if (failure_.ok()) {
    call_.Answer(std::move(answer_));
  } else {
    call_.Finish(failure_, retry_after_ms_);
  }
}

}  // namespace inferd::rpc

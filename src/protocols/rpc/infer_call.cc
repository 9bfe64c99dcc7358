#include "protocols/rpc/infer_call.h"

#include <chrono>
#include <utility>

#include "protocols/v2/traceparent.h"

namespace inferd::rpc {

InferCall::InferCall(const Surroundings& surroundings, net::grpc::CallContext&& context, net::grpc::Responder responder)
    : call::InferCall<base::BufferSlice>({.dispatcher = surroundings.dispatcher,
                                          .pool = surroundings.pool,
                                          .queue_full = surroundings.options.queue_full}),
      surroundings_(surroundings),
      call_(surroundings, context, std::move(responder)),
      received_ns_(context.received_ns),
      deadline_ns_(context.deadline_ns),
      traceparent_(v2::CheckedTraceparent(context.head.Find("traceparent").value_or(""))),
      forwarded_(KeepForwarded(std::move(context), surroundings.options)) {}

void InferCall::OnPeerGone(base::Task task) {
  const std::chrono::milliseconds delay = options().delays.notice;
  if (delay.count() == 0) return call_.responder().OnCancelled(std::move(task));
  call_.responder().OnCancelled(
      [delay, &loop = call_.loop(), task = std::move(task)]() mutable { loop.RunAfter(delay, std::move(task)); });
}

void InferCall::OnRead(const core::InferRequest& request) {
  call_.SetModel(request.model_name, request.model_version);
  call_.SetRequestId(request.id);
}

void InferCall::OnDispatch(core::InferRequest& request) {
  request.received_ns = received_ns_;
  request.traceparent = std::move(traceparent_);
  OnInfer(request);
}

base::Status InferCall::MakeAnswer(core::InferResponse&& response) {
  INFERD_ASSIGN_OR_RETURN(answer_, Encode(std::move(response)));
  return {};
}

void InferCall::Send() {
  if (pinned() != nullptr) call_.SetVersion(pinned()->version());
  if (cancelled()) call_.LogGone(deadline_ns_);
  // Whatever the failure, the client has stopped waiting at its deadline: it gets the error that it expects.
  if (!failure().ok() && deadline_ns_ != 0 && surroundings_.clock.NowNs() >= deadline_ns_) {
    OnEnd(base::StatusCode::kDeadlineExceeded);
    return call_.Finish(net::grpc::DeadlinePassed());
  }
  OnEnd(failure().code());
  if (failure().ok()) {
    const std::chrono::milliseconds delay = options().delays.answer;
    if (delay.count() > 0) return call_.AnswerAfter(delay, std::move(answer_));
    call_.Answer(std::move(answer_));
  } else if (auto answer = AnswerTo(failure()); answer.has_value()) {
    call_.Answer(*std::move(answer), failure());
  } else {
    call_.Finish(failure(), retry_after_ms());
  }
}

}  // namespace inferd::rpc

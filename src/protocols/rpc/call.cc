#include "protocols/rpc/call.h"

#include <string>
#include <utility>

#include "protocols/rpc/retry_info.h"

namespace inferd::rpc {

Call::Call(const Surroundings& surroundings, const net::grpc::CallContext& context, net::grpc::Responder responder)
    : logger_(&surroundings.logger), clock_(&surroundings.clock), responder_(std::move(responder)) {
  if (!surroundings.options.access_log) return;
  const net::RequestHead& head = context.head;
  access_ = v2::MakeAccessRecord(context.received_ns, head.method_text, head.target, head.peer,
                                 head.Find("traceparent").value_or(""), head.request_id);
}

void Call::SetModel(std::string_view model, std::string_view version) {
  if (access_ == nullptr) return;
  access_->model = model;
  access_->version = version;
}

void Call::SetVersion(std::string_view version) {
  if (access_ != nullptr) access_->version = version;
}

void Call::SetRequestId(std::string_view id) {
  if (access_ != nullptr) access_->id = id;
}

void Call::Answer(net::grpc::Message&& message, const base::Status& failure) {
  LogAccess(failure.code(), failure.message());
  net::grpc::Responder responder = std::move(responder_);
  responder.Answer(std::move(message));
}

void Call::AnswerAfter(std::chrono::milliseconds delay, net::grpc::Message&& message) {
  LogAccess(base::StatusCode::kOk);
  net::Loop& loop = responder_.loop();
  loop.RunAfter(delay, [responder = std::move(responder_), message = std::move(message)]() mutable {
    net::grpc::Responder own = std::move(responder);
    own.Answer(std::move(message));
  });
}

void Call::Finish(const base::Status& status, int64_t retry_after_ms) {
  LogAccess(status.code(), status.message());
  net::grpc::Responder responder = std::move(responder_);
  if (retry_after_ms > 0) {
    responder.AddTrailingMetadata("grpc-retry-pushback-ms", std::to_string(retry_after_ms));
    return responder.Finish(status, RetryDetails(status, retry_after_ms));
  }
  if (status.ok() || !status.message().empty()) return responder.Finish(status);
  responder.Finish({status.code(), std::string(base::StatusCodeName(status.code()))});
}

void Call::LogGone(int64_t deadline_ns) {
  if (access_ == nullptr) return;
  const bool late = deadline_ns != 0 && clock_->NowNs() >= deadline_ns;
  LogAccess(late ? base::StatusCode::kDeadlineExceeded : base::StatusCode::kCancelled);
}

void Call::LogAccess(base::StatusCode code, std::string_view error) {
  if (access_ == nullptr) return;
  access_->error = error;
  v2::LogAccess(*logger_, *access_, base::StatusCodeName(code), clock_->NowNs());
  access_.reset();
}

core::ControlCallback AnswerWhenDone(Call call, net::grpc::Message message) {
  return [call = std::move(call), message = std::move(message)](base::Status status) mutable {
    net::Loop& loop = call.loop();
    loop.Post([call = std::move(call), message = std::move(message), status = std::move(status)]() mutable {
      if (status.ok()) return call.Answer(std::move(message));
      call.Finish(status);
    });
  };
}

}  // namespace inferd::rpc

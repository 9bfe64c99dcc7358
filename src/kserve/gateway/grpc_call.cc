#include "kserve/gateway/grpc_call.h"

#include <utility>

#include "base/text/ascii_case.h"
#include "kserve/gateway/forwarded_fields.h"

namespace inferd::gateway {

namespace {

using net::upstream::FieldView;
using net::upstream::FieldViews;

constexpr std::string_view kContentType = "application/grpc";

net::HeaderList Copied(std::span<const FieldView> fields) {
  net::HeaderList list;
  for (const auto& [name, value] : fields) list.emplace_back(name, value);
  return list;
}

// Replaces characters that gRPC would have to escape, since the message is for people.
std::string Plain(std::string_view text) {
  std::string plain(text);
  for (char& c : plain) {
    if (c < ' ' || c > '~' || c == '%') c = '_';
  }
  return plain;
}

}  // namespace

net::HttpResponse GrpcCall::Refusal(int grpc_status, std::string_view text) {
  net::HttpResponse response;
  response.content_type = kContentType;
  response.headers = {{"grpc-status", std::to_string(grpc_status)}, {"grpc-message", Plain(text)}};
  return response;
}

GrpcCall::GrpcCall(CallOwner& owner, std::shared_ptr<const Route> route, const Destination& destination,
                   net::HttpRequest request, net::Reply reply, std::shared_ptr<Link> link)
    : owner_(owner),
      route_(std::move(route)),
      destination_(destination),
      request_(std::move(request)),
      reply_(std::move(reply)),
      loop_(reply_.loop()),
      link_(std::move(link)) {
  link_->call = this;
}

GrpcCall::~GrpcCall() {
  *alive_ = false;
  link_->call = nullptr;
  if (timer_ != 0) loop_.CancelTimer(timer_);
}

void GrpcCall::Start() {
  reply_.OnPeerGone([this, alive = alive_] {
    if (*alive) Done();
  });
  auto place = destination_.backend->Acquire(loop_, [this](Lease lease) {
    wait_ = nullptr;
    if (!lease) return Refuse(kUnavailable, GoneText(destination_.backend->name()));
    Send(std::move(lease));
  });
  if (!place.has_value()) return Refuse(kUnavailable, place.error().message());
  if (place->lease) return Send(std::move(place->lease));
  wait_ = std::move(place->wait);
  ArmTimer(route_->wait_timeout);
}

void GrpcCall::ArmTimer(std::chrono::milliseconds delay) {
  if (timer_ != 0) loop_.CancelTimer(timer_);
  timer_ = loop_.RunAfter(delay, [this] {
    timer_ = 0;
    OnTooLate();
  });
}

void GrpcCall::Send(Lease lease) {
  lease_ = std::move(lease);
  ArmTimer(route_->timeout);
  const ForwardedFields forwarded(request_.head);
  FieldViews fields;
  for (const FieldView& field : forwarded.list()) {
    if (!base::EqualWithoutCase(field.first, "Host")) fields.push_back(field);
  }
  fields.emplace_back("te", "trailers");
  const base::Status begun = owner_.http2_pool().Begin(lease_.grpc_address(),
                                                       {.method = request_.head.method_text,
                                                        .path = request_.head.target,
                                                        .authority = request_.head.Find("Host").value_or(""),
                                                        .fields = fields},
                                                       *this);
  if (!begun.ok()) return Refuse(kUnavailable, begun.message());
  sent_ = true;
  body_bytes_ = 0;
  bool more = true;
  for (base::BufferSlice& piece : body_) more = Write(std::move(piece));
  body_.clear();
  if (body_ended_) {
    Http2Receiver::EndBody();
  } else if (more) {
    OnDrained();
  }
}

void GrpcCall::TakeBody(base::BufferSlice piece) {
  if (done_) return;
  if (sent_) {
    if (!Write(std::move(piece)) && !done_) HoldClient();
    return;
  }
  body_bytes_ += piece.size();
  body_.push_back(std::move(piece));
  if (body_bytes_ > kWaitingMax) HoldClient();
}

void GrpcCall::HoldClient() {
  if (!std::exchange(held_, true)) reply_.PauseBody();
}

void GrpcCall::OnDrained() {
  if (std::exchange(held_, false)) reply_.ResumeBody();
}

void GrpcCall::EndBody() {
  body_ended_ = true;
  if (sent_ && !done_) Http2Receiver::EndBody();
}

void GrpcCall::OnTooLate() {
  Refuse(kDeadlineExceeded, wait_ != nullptr ? "no replica of '" + destination_.backend->name() + "' was ready in time"
                                             : "the model did not answer in time");
}

void GrpcCall::Refuse(int grpc_status, std::string_view text) {
  reply_.Send(Refusal(grpc_status, text));
  Done();
}

void GrpcCall::Done() {
  if (std::exchange(done_, true)) return;
  link_->call = nullptr;
  GiveUp();
  wait_ = nullptr;
  lease_.Release();
  body_.clear();
  owner_.OnDone(*this);
}

void GrpcCall::OnHead(int status, std::span<const FieldView> fields, bool whole) {
  if (timer_ != 0) loop_.CancelTimer(std::exchange(timer_, 0));
  net::HttpResponse response;
  response.status = status;
  for (const auto& [name, value] : fields) {
    if (IsRelayed(name, request_.head)) response.headers.emplace_back(name, value);
  }
  started_ = true;
  // A response with trailers only is complete now; OnEnd follows.
  if (whole) return reply_.Send(std::move(response));
  reply_.Start(std::move(response));
}

void GrpcCall::OnBody(base::BufferSlice piece) {
  if (reply_.Write(std::move(piece)) || done_) return;
  Pause();
  reply_.OnWritable([this, alive = alive_] {
    if (*alive) Resume();
  });
}

void GrpcCall::OnEnd(std::span<const FieldView> trailers) {
  reply_.End(Copied(trailers));
  Done();
}

void GrpcCall::OnFailure(net::upstream::Failure failure) {
  if (!started_) reply_.Send(Refusal(kUnavailable, failure.text));
  // Dropping the Reply in the middle of the response aborts it, so that no client takes the response for complete.
  Done();
}

}  // namespace inferd::gateway

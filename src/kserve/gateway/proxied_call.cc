#include "kserve/gateway/proxied_call.h"

#include <utility>

#include "kserve/gateway/forwarded_fields.h"
#include "net/http/transport_answer.h"

namespace inferd::gateway {

using net::upstream::Failure;

ProxiedCall::ProxiedCall(CallOwner& owner, std::shared_ptr<const Route> route, const Destination& destination,
                         net::HttpRequest request, net::Reply reply)
    : owner_(owner),
      route_(std::move(route)),
      destination_(destination),
      request_(std::move(request)),
      reply_(std::move(reply)),
      loop_(reply_.loop()) {}

ProxiedCall::~ProxiedCall() {
  *alive_ = false;
  if (timer_ != 0) loop_.CancelTimer(timer_);
}

void ProxiedCall::Start() {
  reply_.OnPeerGone([this, alive = alive_] {
    if (*alive) Done();
  });
  TakePlace(nullptr);
}

void ProxiedCall::ArmTimer(std::chrono::milliseconds delay) {
  if (timer_ != 0) loop_.CancelTimer(timer_);
  timer_ = loop_.RunAfter(delay, [this] {
    timer_ = 0;
    OnTooLate();
  });
}

void ProxiedCall::TakePlace(const Replica* not_on) {
  auto place = destination_.backend->Acquire(
      loop_,
      [this](Lease lease) {
        wait_ = nullptr;
        if (!lease) return Refuse(503, GoneText(destination_.backend->name()));
        Send(std::move(lease));
      },
      not_on);
  if (!place.has_value()) return Refuse(503, place.error().message());
  if (place->lease) return Send(std::move(place->lease));
  wait_ = std::move(place->wait);
  ArmTimer(route_->wait_timeout);
}

void ProxiedCall::Send(Lease lease) {
  ++attempts_;
  lease_ = std::move(lease);
  ArmTimer(route_->timeout);
  std::string stripped;
  if (!route_->strip_prefix.empty()) stripped = StripPrefix(request_.head.target, route_->strip_prefix);
  const ForwardedFields fields(request_.head);
  net::upstream::Request request;
  // The replica receives GET for HEAD; the transport drops the body of the response.
  request.method = request_.head.method == net::Method::kHead ? "GET" : request_.head.method_text;
  request.target = stripped.empty() ? request_.head.target : std::string_view(stripped);
  request.fields = fields.list();
  request.body = request_.body;
  request.says_length = !only_reads() || !request.body.empty();
  if (const base::Status sent = owner_.pool().Send(lease_.address(), request, *this, fresh_); !sent.ok()) {
    GoElsewhere(std::string(sent.message()));
  }
}

void ProxiedCall::GoElsewhere(std::string why) {
  if (attempts_ >= kAttemptsMax) return Refuse(503, why);
  const std::shared_ptr<Replica> failed = lease_.replica();
  lease_.Release();
  TakePlace(failed.get());
}

void ProxiedCall::OnTooLate() {
  if (started_) return Done();  // aborts the response
  Refuse(504, wait_ != nullptr ? "no replica of '" + destination_.backend->name() + "' was ready in time"
                               : "the model did not answer in time");
}

void ProxiedCall::Refuse(int status, std::string_view text) {
  reply_.Send(net::TransportAnswer(status, text));
  Done();
}

void ProxiedCall::Done() {
  if (std::exchange(done_, true)) return;
  GiveUp();
  wait_ = nullptr;
  lease_.Release();
  owner_.OnDone(*this);
}

void ProxiedCall::OnHead(const net::upstream::ResponseHead& head) {
  response_.status = head.status;
  for (const auto& [name, value] : head.fields) {
    if (IsRelayed(name, request_.head)) response_.headers.emplace_back(name, value);
  }
  length_ = head.has_body ? head.content_length : 0;
  if (whole_in_one()) return;
  // The response has begun; its duration depends on the client and the model, so the timeout ends.
  if (timer_ != 0) loop_.CancelTimer(std::exchange(timer_, 0));
  started_ = true;
  response_.length = length_;
  reply_.Start(std::move(response_));
}

void ProxiedCall::OnBody(base::BufferSlice piece) {
  if (!started_) {
    response_.body.push_back(std::move(piece));
    return;
  }
  if (reply_.Write(std::move(piece)) || done_) return;
  Pause();
  reply_.OnWritable([this, alive = alive_] {
    if (*alive) Resume();
  });
}

void ProxiedCall::OnEnd() {
  if (started_) {
    reply_.End();
  } else {
    reply_.Send(std::move(response_));
  }
  Done();
}

void ProxiedCall::OnFailure(Failure failure) {
  // A reused connection was stale. Others to that replica may be stale as well, so a new one is used.
  const bool stale = failure.kind == Failure::Kind::kUntaken || (failure.kind == Failure::Kind::kStale && only_reads());
  fresh_ |= stale;
  if (stale || failure.kind == Failure::Kind::kNotConnected) return GoElsewhere(std::move(failure.text));
  // Dropping the Reply in the middle of the response aborts it, so that no client takes the response for complete.
  if (!started_) reply_.Send(net::TransportAnswer(502, failure.text));
  Done();
}

}  // namespace inferd::gateway

#include "net/http2/stream/stream.h"

#include <chrono>
#include <utility>

#include "base/text/ascii_case.h"

namespace inferd::net::http2 {

Stream::Stream(StreamContext& context, int32_t id, int64_t now_ns)
    : context_(context),
      id_(id),
      received_ns_(now_ns),
      fields_(context.link.host.limits(), request_.head),
      flow_(context, id, now_ns),
      response_(context, id, flow_) {}

namespace {

// Returns `value` without the spaces and tabs around it.
std::string_view Trimmed(std::string_view value) {
  constexpr std::string_view kSpaces = " \t";
  const size_t begin = value.find_first_not_of(kSpaces);
  if (begin == std::string_view::npos) return {};
  return value.substr(begin, value.find_last_not_of(kSpaces) + 1 - begin);
}

}  // namespace

void Stream::OnField(std::string_view name, std::string_view value) {
  // Trailers have no meaning in a plain request.
  if (state_ == State::kHeaders) fields_.Add(name, Trimmed(value));
}

void Stream::OnHeadersEnd(bool end_stream) {
  if (state_ != State::kHeaders) {
    if (end_stream) OnDataEnd();
    return;
  }
  SessionHost& host = context_.link.host;
  const HeaderBlock::Refusal refusal = fields_.Finish(host.ends(), host.tls());
  request_.store = fields_.TakeStore();
  response_.TakeHead(request_.head);
  context_.requests.NoteHead(request_.head);
  if (refusal.status != 0) return Refuse(refusal.status, refusal.text);
  BodyPlan plan = host.handler().OnHead(request_.head);
  response_.TakePlan(plan);
  request_.choice = plan.choice;
  if (plan.refuse.has_value()) return Refuse(*std::move(plan.refuse));
  if (plan.sink != nullptr) {
    sink_ = std::move(plan.sink);
    sink_->Begin(host.bodies());
    BecomeReady();
    plan.bytes_max = UINT64_MAX;  // the sink enforces the limit
  }
  if (plan.bytes_max == 0) plan.bytes_max = host.limits().body_bytes_max;
  if (request_.head.content_length.value_or(0) > plan.bytes_max) {
    return Refuse(413, "request body too large");
  }
  state_ = State::kBody;
  if (end_stream) return OnDataEnd();
  StartBody(std::move(plan));
}

void Stream::StartBody(BodyPlan plan) {
  const auto& length = request_.head.content_length;
  if (sink_ == nullptr) {
    body_ = Body(context_.link.host.bodies(), length, plan.bytes_max, plan.align_at, std::move(plan.memory));
  }
  const auto expect = request_.head.Find("expect");
  if (expect.has_value() && base::EqualWithoutCase(*expect, "100-continue")) context_.outbound.SubmitContinue(id_);
}

std::span<std::byte> Stream::Space() {
  if (!takes_body()) return {};
  return sink_ != nullptr ? sink_->Space() : body_.Space();
}

bool Stream::OnData(std::span<const std::byte> data, int64_t now_ns) {
  flow_.Move(now_ns);
  if (!takes_body()) return false;
  if (sink_ != nullptr) {
    sink_->OnBody(data);
    flow_.Keep(data.size());
    BecomeReady();
    return true;
  }
  switch (body_.Append(data)) {
    case Body::Fill::kOk: break;
    case Body::Fill::kTooLarge: Refuse(413, "request body too large"); break;
    case Body::Fill::kNoMemory: {
      HttpResponse response = response_.Refusal(503, "too many request bytes in flight");
      response.headers.emplace_back("Retry-After", "1");
      Refuse(std::move(response));
      break;
    }
  }
  return false;
}

void Stream::OnDataEnd() {
  if (!takes_body()) return;
  state_ = State::kWhole;
  if (sink_ != nullptr) {
    sink_->OnBodyEnd();
  } else {
    request_.body = body_.Finish();
  }
  BecomeReady();
}

void Stream::BecomeReady() {
  if (!std::exchange(ready_, true)) context_.requests.Ready(id_);
}

void Stream::Adopt(HttpRequest request) {
  request_ = std::move(request);
  request_.head.http2 = true;
  response_.TakeHead(request_.head);
  received_ns_ = request_.received_ns;
  state_ = State::kWhole;
  BecomeReady();
}

void Stream::Deliver() {
  ready_ = false;
  if (state_ == State::kWhole) state_ = State::kDelivered;
  if (state_ == State::kDiscarding || sink_answered()) return;
  if (sink_ != nullptr) return DeliverToSink();
  request_.received_ns = received_ns_;
  context_.link.host.handler().OnRequest(std::move(request_), response_.BeginRequest());
}

void Stream::DeliverToSink() {
  if (!std::exchange(opened_, true)) {
    request_.received_ns = received_ns_;
    sink_->Open(std::move(request_), response_.BeginRequest());
  }
  if (response_.in_flight()) sink_->Proceed();
  flow_.Open();
}

void Stream::Refuse(int status, std::string_view text) { Refuse(response_.Refusal(status, text)); }

void Stream::Refuse(HttpResponse&& response) {
  state_ = State::kDiscarding;
  body_ = Body();
  response_.Refuse(std::move(response));
}

void Stream::OnTick(int64_t now_ns) {
  const int64_t stuck_ns = now_ns - flow_.moved_ns();
  if (stuck_ns <= std::chrono::nanoseconds(context_.link.host.limits().body_timeout).count()) return;
  const bool owed = sink_ == nullptr || (sink_->AwaitsMore() && !flow_.paused());
  if (takes_body() && owed) {
    Refuse(408, "request body did not arrive in time");
  } else if (response_.queued_bytes() > 0) {
    context_.outbound.Reset(id_, NGHTTP2_CANCEL);  // the peer opens no window
  }
}

}  // namespace inferd::net::http2

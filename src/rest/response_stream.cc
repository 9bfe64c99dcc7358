#include "rest/response_stream.h"

#include <cstring>
#include <span>
#include <string_view>
#include <utility>

#include "rest/error_response.h"
#include "rest/infer_call.h"

namespace inferd::rest {

namespace {

// Smaller events go out as one piece, which costs less than the copy.
constexpr size_t kJoinedBytesMax = 4096;

using Pieces = decltype(net::HttpResponse::body);

// The data of an event, framed.
Pieces Framed(Pieces data, EventForm form) {
  const EventFrame frame = FrameOf(form);
  size_t bytes = frame.before.size() + frame.behind.size();
  for (const base::BufferSlice& piece : data) bytes += piece.size();
  Pieces framed;
  if (bytes <= kJoinedBytesMax) {
    base::Buffer joined = base::Buffer::Allocate(bytes);
    std::byte* out = joined.data();
    const auto add = [&out](std::string_view text) {
      if (!text.empty()) std::memcpy(out, text.data(), text.size());
      out += text.size();
    };
    add(frame.before);
    for (const base::BufferSlice& piece : data) add(piece.view());
    add(frame.behind);
    framed.emplace_back(joined);
    return framed;
  }
  if (!frame.before.empty()) framed.emplace_back(base::Buffer::CopyOf(frame.before));
  for (base::BufferSlice& piece : data) framed.push_back(std::move(piece));
  framed.emplace_back(base::Buffer::CopyOf(frame.behind));
  return framed;
}

}  // namespace

ResponseStream::ResponseStream(std::unique_ptr<InferCall> call, EventForm form,
                               std::shared_ptr<core::ResponseFlow> flow)
    : loop_(call->loop()), form_(form), flow_(std::move(flow)), call_(std::move(call)) {}

void ResponseStream::Open() {
  call_->call().reply().OnPeerGone([weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->OnPeerGone();
  });
}

void ResponseStream::Receive(core::InferResponse&& response) {
  core::ResponseFlow::Place place = flow_->Enter(response);
  Received received{.response = std::move(response), .place = std::move(place)};
  if (loop_.InLoopThread() && !posted_) return OnResponse(std::move(received));
  posted_ = true;
  if (!arrived_.Push(std::move(received))) return;
  loop_.Post([self = shared_from_this()] {
    self->arrived_.TakeEach([&self](Received&& arrived) { self->OnResponse(std::move(arrived)); });
  });
}

void ResponseStream::OnResponse(Received received) {
  if (call_ == nullptr) return;
  if (flow_->overfull()) {
    return Fail(base::ResourceExhausted("the client does not take the responses, and the model goes on"));
  }
  waiting_.push_back(std::move(received));
  Advance();
}

void ResponseStream::Advance() {
  while (call_ != nullptr && writable_ && !encoding_ && !waiting_.empty()) {
    Received next = std::move(waiting_.front());
    waiting_.pop_front();
    Take(std::move(next));
  }
}

void ResponseStream::Take(Received received) {
  core::InferResponse& response = received.response;
  if (!response.status.ok()) {
    call_->Fail(response);
    return Fail(call_->failure());
  }
  const bool carries = !response.outputs.empty() || !response.parameters.empty();
  if (response.final && !carries && (started_ || call_->pinned()->signature().decoupled)) {
    Write({});
    return End(base::OkStatus());
  }
  if (call_->EncodingIsBig(response)) return EncodeElsewhere(std::move(received));
  const bool final = response.final;
  Send(call_->EncodeEvent(std::move(response)), final);
}

void ResponseStream::EncodeElsewhere(Received received) {
  encoding_ = true;
  call_->pool().Post([self = shared_from_this(), call = call_, received = std::move(received)]() mutable {
    const bool final = received.response.final;
    auto event = call->EncodeEvent(std::move(received.response));
    net::Loop& loop = self->loop_;
    loop.Post([self = std::move(self), event = std::move(event), final, place = std::move(received.place)]() mutable {
      self->encoding_ = false;
      if (self->call_ == nullptr) return;
      self->Send(std::move(event), final);
      self->Advance();
    });
  });
}

void ResponseStream::Send(base::Result<net::HttpResponse> event, bool final) {
  if (!event.has_value()) return Fail(std::move(event).error());
  event->body = Framed(std::move(event->body), form_);
  Write(*std::move(event));
  if (final) End(base::OkStatus());
}

void ResponseStream::Write(net::HttpResponse&& event) {
  if (call_ == nullptr) return;
  net::Reply& reply = call_->call().reply();
  Pieces pieces = std::exchange(event.body, {});
  if (!std::exchange(started_, true)) {
    if (!call_->BeginStream()) return OnPeerGone();
    event.content_type = ContentTypeOf(form_);
    if (form_ == EventForm::kServerSent) event.headers.emplace_back("Cache-Control", "no-cache");
    reply.Start(std::move(event));
  }
  for (base::BufferSlice& piece : pieces) writable_ = reply.Write(std::move(piece));
  if (writable_) return;
  reply.OnWritable([weak = weak_from_this()] {
    const auto self = weak.lock();
    if (self == nullptr) return;
    self->writable_ = true;
    self->Advance();
  });
}

void ResponseStream::Fail(base::Status status) {
  call_->Cancel();
  if (started_) {
    net::HttpResponse event;
    event.body = Framed(ErrorResponse(call_->options(), status).body, form_);
    Write(std::move(event));
    return End(status);
  }
  const std::shared_ptr<InferCall> call = std::exchange(call_, nullptr);
  waiting_.clear();
  call->Fail(std::move(status));
  call->Send();
}

void ResponseStream::End(const base::Status& status) {
  if (call_ == nullptr) return;
  waiting_.clear();
  std::exchange(call_, nullptr)->EndStream(status);
}

void ResponseStream::OnPeerGone() {
  if (call_ == nullptr) return;
  call_->Cancel();
  const base::Status gone = base::Cancelled("the client has gone");
  if (started_) return End(gone);
  Fail(gone);
}

}  // namespace inferd::rest

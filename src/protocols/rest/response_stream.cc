#include "protocols/rest/response_stream.h"

#include <utility>

#include "base/memory_shortage.h"
#include "protocols/rest/error_response.h"
#include "protocols/rest/infer_call.h"

namespace inferd::rest {

namespace {

// Smaller events are copied and joined with simultaneous ones into one piece, which costs less than many pieces.
constexpr size_t kJoinedBytesMax = 4096;
constexpr size_t kTextBytesMax = 16 * 1024;  // of events that wait for others

using Pieces = decltype(net::HttpResponse::body);

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
  if (loop_.InLoopThread() && !posted_) {
    OnResponse(std::move(received));
    return Flush();
  }
  posted_ = true;
  if (!arrived_.Push(std::move(received))) return;
  loop_.Post([self = shared_from_this()] {
    self->arrived_.TakeEach([&self](Received&& arrived) { self->OnResponse(std::move(arrived)); });
    base::RunUnlessOutOfMemory([&self] { self->Flush(); });  // else together with the next ones
  });
}

void ResponseStream::OnResponse(Received received) {
  if (call_ == nullptr) return;
  if (flow_->overfull()) {
    return Fail(base::ResourceExhausted("the client does not take the responses, and the model goes on"));
  }
  if (waiting_.empty() && writable_ && !encoding_) return Take(std::move(received));
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
    if (response.final) return Fail(call_->failure(), call_->options().failures_are_events && !response.refused);
    return Send(ErrorResponse(call_->options(), call_->failure(), call_->retry_after_ms()), false);
  }
  const bool carries = !response.outputs.empty() || !response.parameters.empty();
  if (response.final && !carries && (started_ || call_->pinned()->signature().decoupled)) {
    Begin({});
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
      self->Flush();
    });
  });
}

void ResponseStream::Send(base::Result<net::HttpResponse> event, bool final) {
  if (!event.has_value()) {
    if (final) return Fail(std::move(event).error(), call_->options().failures_are_events);
    event = ErrorResponse(call_->options(), event.error());
  }
  Pieces data = std::exchange(event->body, {});
  Begin(*std::move(event));
  if (call_ == nullptr) return;
  AddEvent(std::move(data));
  if (final) End(base::OkStatus());
}

// Sends the response's head, before the first event.
void ResponseStream::Begin(net::HttpResponse&& head) {
  if (call_ == nullptr || std::exchange(started_, true)) return;
  if (!call_->BeginStream()) return OnPeerGone();
  status_ = head.status;
  head.content_type = ContentTypeOf(form_);
  if (form_ == EventForm::kServerSent) head.headers.emplace_back("Cache-Control", "no-cache");
  call_->call().reply().Start(std::move(head));
}

void ResponseStream::AddEvent(Pieces data) {
  const EventFrame frame = FrameOf(form_);
  size_t bytes = frame.before.size() + frame.behind.size();
  for (const base::BufferSlice& piece : data) bytes += piece.size();
  text_ += frame.before;
  if (bytes <= kJoinedBytesMax) {
    for (const base::BufferSlice& piece : data) text_ += piece.view();
  } else {
    Flush();
    for (base::BufferSlice& piece : data) Write(std::move(piece));
  }
  text_ += frame.behind;
  if (text_.size() >= kTextBytesMax) Flush();
}

void ResponseStream::Flush() {
  if (call_ == nullptr || text_.empty()) return;
  Write(base::BufferSlice(base::Buffer::CopyOf(text_)));
  text_.clear();
}

void ResponseStream::Write(base::BufferSlice piece) {
  net::Reply& reply = call_->call().reply();
  const bool was_writable = writable_;
  writable_ = reply.Write(std::move(piece));
  if (writable_ || !was_writable) return;
  reply.OnWritable([weak = weak_from_this()] {
    const auto self = weak.lock();
    if (self == nullptr) return;
    self->writable_ = true;
    self->Advance();
    self->Flush();
  });
}

void ResponseStream::Fail(base::Status status, bool as_event) {
  call_->Cancel();
  if (started_ || as_event) {
    net::HttpResponse failed = ErrorResponse(call_->options(), status, call_->retry_after_ms());
    Pieces data = std::exchange(failed.body, {});
    Begin(std::move(failed));
    if (call_ == nullptr) return;
    AddEvent(std::move(data));
    return End(status);
  }
  const std::shared_ptr<InferCall> call = std::exchange(call_, nullptr);
  waiting_.clear();
  call->Fail(std::move(status));
  call->Send();
}

void ResponseStream::End(const base::Status& status) {
  if (call_ == nullptr) return;
  Flush();
  waiting_.clear();
  std::exchange(call_, nullptr)->EndStream(status, status_);
}

void ResponseStream::OnPeerGone() {
  if (call_ == nullptr) return;
  call_->Cancel();
  const base::Status gone = base::Cancelled("the client has gone");
  if (started_) return End(gone);
  Fail(gone);
}

}  // namespace inferd::rest

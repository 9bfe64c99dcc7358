#include "net/http2/stream.h"

#include <utility>

#include "net/http/ascii.h"
#include "net/http/net_metrics.h"
#include "net/http/transport_answer.h"
#include "net/http2/connection.h"

namespace inferd::net::http2 {

namespace {

bool HasNoBody(Method method, int status) { return method == Method::kHead || status == 204 || status == 304; }

}  // namespace

Stream::Stream(Connection& connection, int32_t id, int64_t now_ns)
    : Exchange(connection.host().replies()),
      connection_(connection),
      id_(id),
      received_ns_(now_ns),
      progress_ns_(now_ns),
      fields_(connection.host().limits(), request_.head) {}

Stream::~Stream() {
  TellPeerGone();
  Forget();
  CountQueued(-static_cast<int64_t>(queue_.bytes()));
}

void Stream::OnField(std::string_view name, std::string_view value) {
  // Trailers mean nothing to a plain request.
  if (receiving_ == Receiving::kHeaders) fields_.Add(name, value);
}

void Stream::OnHeadersEnd(bool end_stream) {
  if (receiving_ != Receiving::kHeaders) {
    if (end_stream) OnDataEnd();
    return;
  }
  SessionHost& host = connection_.host();
  const HeaderBlock::Refusal refusal = fields_.Finish(host.peer(), host.tls());
  request_.store = fields_.TakeStore();
  request_id_ = request_.head.request_id;
  connection_.NoteHead(request_.head);
  if (refusal.status != 0) return Refuse(refusal.status, refusal.text);
  BodyPlan plan = host.handler().OnHead(request_.head);
  answer_headers_ = std::move(plan.answer_headers);
  refusal_form_ = plan.refusal_form;
  if (plan.refuse.has_value()) return Refuse(*std::move(plan.refuse));
  if (plan.sink != nullptr) {
    sink_ = std::move(plan.sink);
    sink_->Begin(host.bodies());
    BecomeReady();
    plan.bytes_max = UINT64_MAX;  // the sink's to limit
  }
  if (plan.bytes_max == 0) plan.bytes_max = host.limits().body_bytes_max;
  if (request_.head.content_length.value_or(0) > plan.bytes_max) {
    return Refuse(413, "request body too large");
  }
  receiving_ = Receiving::kBody;
  if (end_stream) return OnDataEnd();
  StartBody(std::move(plan));
}

void Stream::StartBody(BodyPlan plan) {
  const auto& length = request_.head.content_length;
  if (sink_ == nullptr) {
    body_ = Body(connection_.host().bodies(), length, plan.bytes_max, plan.align_at, std::move(plan.memory));
  }
  const auto expect = request_.head.Find("expect");
  if (expect.has_value() && EqualsIgnoringCase(*expect, "100-continue")) connection_.SubmitContinue(id_);
}

std::span<std::byte> Stream::Space() {
  if (receiving_ != Receiving::kBody) return {};
  return sink_ != nullptr ? sink_->Space() : body_.Space();
}

bool Stream::OnData(std::span<const std::byte> data, int64_t now_ns) {
  progress_ns_ = now_ns;
  if (receiving_ != Receiving::kBody) return false;
  if (sink_ != nullptr) {
    sink_->OnBody(data);
    unconsumed_ += data.size();
    BecomeReady();
    return true;
  }
  switch (body_.Append(data)) {
    case Body::Fill::kOk: break;
    case Body::Fill::kTooLarge: Refuse(413, "request body too large"); break;
    case Body::Fill::kNoMemory: {
      HttpResponse response = TransportAnswer(503, "too many request bytes in flight", refusal_form_);
      response.headers.emplace_back("Retry-After", "1");
      Refuse(std::move(response));
      break;
    }
  }
  return false;
}

void Stream::OnDataEnd() {
  if (receiving_ != Receiving::kBody) return;
  receiving_ = Receiving::kWhole;
  if (sink_ != nullptr) {
    sink_->OnBodyEnd();
  } else {
    request_.body = body_.Finish();
  }
  BecomeReady();
}

void Stream::BecomeReady() {
  if (!std::exchange(ready_, true)) connection_.Ready(id_);
}

void Stream::Adopt(HttpRequest request) {
  request_ = std::move(request);
  request_.head.http2 = true;
  request_id_ = request_.head.request_id;
  received_ns_ = request_.received_ns;
  receiving_ = Receiving::kWhole;
  BecomeReady();
}

void Stream::Deliver() {
  ready_ = false;
  if (receiving_ == Receiving::kWhole) receiving_ = Receiving::kDelivered;
  if (receiving_ == Receiving::kDiscarding) return;
  if (sink_ != nullptr) return DeliverToSink();
  in_flight_ = true;
  connection_.BeginRequest();
  no_body_ = request_.head.method == Method::kHead;
  request_.received_ns = received_ns_;
  connection_.host().handler().OnRequest(std::move(request_), Open());
}

void Stream::DeliverToSink() {
  if (!std::exchange(opened_, true)) {
    in_flight_ = true;
    connection_.BeginRequest();
    request_.received_ns = received_ns_;
    sink_->Open(std::move(request_), Open());
  }
  if (in_flight_) sink_->Proceed();
  OpenWindow();
}

void Stream::OpenWindow() {
  if (!paused_ && unconsumed_ > 0) connection_.Consume(id_, std::exchange(unconsumed_, 0));
}

void Stream::Refuse(int status, std::string_view text) { Refuse(TransportAnswer(status, text, refusal_form_)); }

void Stream::Refuse(HttpResponse&& response) {
  receiving_ = Receiving::kDiscarding;
  body_ = Body();
  no_body_ = request_.head.method == Method::kHead;
  TellPeerGone();
  if (responding_ == Responding::kNothing) {
    Respond(std::move(response), true);
  } else if (responding_ == Responding::kOpen) {
    connection_.Reset(id_, NGHTTP2_CANCEL);
  }
  Forget();
}

void Stream::Send(HttpResponse&& response) {
  Respond(std::move(response), true);
  Forget();
}

void Stream::Start(HttpResponse&& response) {
  if (responding_ == Responding::kNothing) Respond(std::move(response), false);
}

void Stream::Respond(HttpResponse&& response, bool whole) {
  no_body_ = no_body_ || HasNoBody(request_.head.method, response.status);
  responding_ = whole ? Responding::kEnded : Responding::kOpen;
  streamed_ = !whole;
  progress_ns_ = connection_.now_ns();
  uint64_t bytes = 0;
  for (base::BufferSlice& piece : response.body) {
    bytes += piece.size();
    if (!no_body_) Queue(std::move(piece));
  }
  std::optional<uint64_t> content_length;
  if (whole && response.status != 204 && response.status != 304) content_length = bytes;
  connection_.host().metrics().CountResponse(response.status);
  trailers_ = std::move(response.trailers);
  const bool has_body = !no_body_ && (!whole || bytes > 0 || !trailers_.empty());
  connection_.SubmitResponse(*this, response, content_length, has_body);
}

void Stream::Queue(base::BufferSlice piece) {
  CountQueued(static_cast<int64_t>(piece.size()));
  queue_.Push(std::move(piece));
}

// A streamed response has its own bound (Write), and one that nobody reads must not hold the other streams back.
void Stream::CountQueued(int64_t bytes) {
  if (!streamed_) connection_.AddQueued(bytes);
}

bool Stream::Write(base::BufferSlice piece) {
  if (responding_ != Responding::kOpen) return false;
  if (!no_body_) Queue(std::move(piece));
  if (std::exchange(stalled_, false)) connection_.Resume(id_);
  return queue_.bytes() <= connection_.host().limits().write_high_water;
}

void Stream::End(Trailers trailers) {
  if (responding_ != Responding::kOpen) return;
  responding_ = Responding::kEnded;
  trailers_ = std::move(trailers);
  if (std::exchange(stalled_, false)) connection_.Resume(id_);
  Forget();
}

void Stream::OnWritable(base::Task task) {
  // What was above the mark may have left since.
  if (queue_.bytes() <= connection_.host().limits().write_high_water) {
    return connection_.host().loop().Post(std::move(task));
  }
  writable_ = std::move(task);
}

void Stream::OnPeerGone(base::Task task) { peer_gone_ = std::move(task); }

void Stream::PauseBody() { paused_ = true; }

void Stream::ResumeBody() {
  paused_ = false;
  progress_ns_ = connection_.now_ns();
  OpenWindow();
}

void Stream::Abandon() {
  if (responding_ == Responding::kNothing)
    return Send(TransportAnswer(500, "the request was dropped without an answer", refusal_form_));
  Forget();
  connection_.Reset(id_, NGHTTP2_INTERNAL_ERROR);
}

int64_t Stream::ReadyBytes(size_t bytes_max, bool& ends) {
  if (queue_.bytes() == 0 && responding_ == Responding::kOpen) {
    stalled_ = true;
    return -1;
  }
  const uint64_t bytes = std::min<uint64_t>(bytes_max, queue_.bytes());
  ends = responding_ == Responding::kEnded && bytes == queue_.bytes();
  return static_cast<int64_t>(bytes);
}

void Stream::TakeBody(size_t bytes, SliceWriter& writer, std::vector<base::BufferSlice>& out, int64_t now_ns) {
  progress_ns_ = now_ns;
  queue_.Take(bytes, writer, out);
  CountQueued(-static_cast<int64_t>(bytes));
  if (writable_ && queue_.bytes() <= connection_.host().limits().write_high_water / 2) {
    connection_.host().loop().Post(std::exchange(writable_, {}));
  }
}

void Stream::TellPeerGone() {
  if (in_flight_ && peer_gone_) connection_.host().loop().Post(std::exchange(peer_gone_, {}));
}

void Stream::Forget() {
  Close();
  if (std::exchange(in_flight_, false)) connection_.EndRequest();
  if (opened_) receiving_ = Receiving::kDiscarding;
  peer_gone_ = {};
  writable_ = {};
}

void Stream::OnTick(int64_t now_ns) {
  const int64_t stuck_ns = now_ns - progress_ns_;
  if (stuck_ns <= std::chrono::nanoseconds(connection_.host().limits().body_timeout).count()) return;
  const bool owed = sink_ == nullptr || (sink_->AwaitsMore() && !paused_);
  if (receiving_ == Receiving::kBody && owed) {
    Refuse(408, "request body did not arrive in time");
  } else if (queue_.bytes() > 0) {
    connection_.Reset(id_, NGHTTP2_CANCEL);  // the peer opens no window
  }
}

}  // namespace inferd::net::http2

#include "net/http2/stream/stream_response.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "net/http/net_metrics.h"
#include "net/http/transport_answer.h"

namespace inferd::net::http2 {

StreamResponse::StreamResponse(StreamContext& context, int32_t id, BodyFlow& flow)
    : Exchange(context.link.host.replies()), context_(context), flow_(flow), id_(id) {}

StreamResponse::~StreamResponse() {
  TellPeerGone();
  Forget();
  CountQueued(-static_cast<int64_t>(queue_.bytes()));
}

void StreamResponse::TakeHead(const RequestHead& head) {
  request_id_ = head.request_id;
  no_body_ = head.method == Method::kHead;
}

void StreamResponse::TakePlan(BodyPlan& plan) {
  answer_headers_ = std::move(plan.answer_headers);
  refusal_form_ = plan.refusal_form;
}

Reply StreamResponse::BeginRequest() {
  in_flight_ = true;
  context_.requests.Begin();
  return Open();
}

HttpResponse StreamResponse::Refusal(int status, std::string_view text) const {
  return TransportAnswer(status, text, refusal_form_);
}

void StreamResponse::Refuse(HttpResponse&& response) {
  TellPeerGone();
  if (state_ == State::kNothing) {
    Respond(std::move(response), true);
  } else if (state_ == State::kOpen) {
    context_.outbound.Reset(id_, NGHTTP2_CANCEL);
  }
  Forget();
}

void StreamResponse::Send(HttpResponse&& response) {
  Respond(std::move(response), true);
  Forget();
}

void StreamResponse::Start(HttpResponse&& response) {
  if (state_ == State::kNothing) Respond(std::move(response), false);
}

void StreamResponse::Respond(HttpResponse&& response, bool whole) {
  no_body_ = no_body_ || response.status == 204 || response.status == 304;
  state_ = whole ? State::kEnded : State::kOpen;
  streamed_ = !whole;
  flow_.Move(context_.link.now_ns);
  uint64_t bytes = 0;
  for (base::BufferSlice& piece : response.body) {
    bytes += piece.size();
    if (!no_body_) Queue(std::move(piece));
  }
  std::optional<uint64_t> content_length = whole ? std::nullopt : response.length;
  if (whole && response.status != 204 && response.status != 304) content_length = bytes;
  context_.link.host.metrics().CountResponse(response.status);
  trailers_ = std::move(response.trailers);
  const bool has_body = !no_body_ && (!whole || bytes > 0 || !trailers_.empty());
  context_.outbound.SubmitResponse(id_, response, {content_length, request_id_, answer_headers_.get()}, has_body);
}

void StreamResponse::Queue(base::BufferSlice piece) {
  CountQueued(static_cast<int64_t>(piece.size()));
  queue_.Push(std::move(piece));
}

// Counts complete responses only. A streamed response has its own bound (Write), and one that nobody reads must not
// block the other streams.
void StreamResponse::CountQueued(int64_t bytes) {
  if (!streamed_) context_.requests.AddQueued(bytes);
}

bool StreamResponse::Write(base::BufferSlice piece) {
  if (state_ != State::kOpen) return false;
  if (!no_body_) Queue(std::move(piece));
  if (std::exchange(stalled_, false)) context_.outbound.Resume(id_);
  return queue_.bytes() <= context_.link.host.limits().write_high_water;
}

void StreamResponse::End(Trailers trailers) {
  if (state_ != State::kOpen) return;
  state_ = State::kEnded;
  trailers_ = std::move(trailers);
  if (std::exchange(stalled_, false)) context_.outbound.Resume(id_);
  Forget();
}

void StreamResponse::OnWritable(base::Task task) {
  // The queue may have fallen below the mark since.
  if (queue_.bytes() <= context_.link.host.limits().write_high_water) {
    return context_.link.host.loop().Post(std::move(task));
  }
  writable_ = std::move(task);
}

void StreamResponse::Abandon() {
  if (state_ == State::kNothing) return Send(Refusal(500, "the request was dropped without an answer"));
  Forget();
  context_.outbound.Reset(id_, NGHTTP2_INTERNAL_ERROR);
}

int64_t StreamResponse::ReadyBytes(size_t bytes_max, bool& ends) {
  if (queue_.bytes() == 0 && state_ == State::kOpen) {
    stalled_ = true;
    return -1;
  }
  const uint64_t bytes = std::min<uint64_t>(bytes_max, queue_.bytes());
  ends = state_ == State::kEnded && bytes == queue_.bytes();
  return static_cast<int64_t>(bytes);
}

void StreamResponse::TakeBody(size_t bytes, SliceWriter& writer, std::vector<base::BufferSlice>& out, int64_t now_ns) {
  flow_.Move(now_ns);
  queue_.Take(bytes, writer, out);
  CountQueued(-static_cast<int64_t>(bytes));
  if (writable_ && queue_.bytes() <= context_.link.host.limits().write_high_water / 2) {
    context_.link.host.loop().Post(std::exchange(writable_, {}));
  }
}

void StreamResponse::TellPeerGone() {
  if (in_flight_ && peer_gone_) context_.link.host.loop().Post(std::exchange(peer_gone_, {}));
}

void StreamResponse::Forget() {
  Close();
  if (std::exchange(in_flight_, false)) context_.requests.End();
  peer_gone_ = {};
  writable_ = {};
}

}  // namespace inferd::net::http2

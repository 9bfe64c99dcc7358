#include "net/http1/answer.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "net/http/net_metrics.h"
#include "net/http/transport_answer.h"
#include "net/http1/session.h"

namespace inferd::net::http1 {

namespace {

// Bodies up to this size are copied after their head: one piece costs less to write than two.
constexpr size_t kCopiedBodyBytesMax = 1024;

bool HasNoBody(int status) { return status < 200 || status == 204 || status == 304; }

}  // namespace

void Answer::BeginRequest(const RequestHead& head, const Framing& framing) {
  request_id_ = head.request_id;
  head_only_ = head.method == Method::kHead;
  http10_ = framing.http10;
  keep_alive_ = framing.keep_alive;
}

void Answer::TakePlan(BodyPlan& plan) {
  answer_headers_ = std::move(plan.answer_headers);
  refusal_form_ = plan.refusal_form;
}

void Answer::Continue() {
  output_.Push("HTTP/1.1 100 Continue\r\n\r\n");
  host_.WantWrite();
}

void Answer::PushHead(const HttpResponse& response, ResponseFraming framing) {
  framing.http10 = http10_;
  framing.request_id = request_id_;
  framing.answer_headers = answer_headers_.get();
  scratch_.clear();
  heads_.Write(response, framing, scratch_);
  size_t body_bytes = 0;
  for (const base::BufferSlice& piece : response.body) body_bytes += piece.size();
  if (body_bytes <= kCopiedBodyBytesMax && !head_only_ && !framing.chunked) {
    for (const base::BufferSlice& piece : response.body) scratch_.append(piece.view());
  }
  output_.Push(scratch_);
  host_.WantWrite();
}

void Answer::Send(HttpResponse&& response) {
  uint64_t body_bytes = 0;
  for (const base::BufferSlice& piece : response.body) body_bytes += piece.size();
  const bool bodiless = HasNoBody(response.status);
  const bool close = response.close || !keep_alive_ || last();
  if (bodiless) response.body.clear();
  PushHead(response, {.content_length = bodiless ? std::nullopt : std::optional(body_bytes), .close = close});
  if (!head_only_ && !bodiless && body_bytes > kCopiedBodyBytesMax) {
    for (base::BufferSlice& piece : response.body) output_.Push(std::move(piece));
  }
  Finish(response.status, close);
}

void Answer::Start(HttpResponse&& response) {
  if (streaming_) return;
  const bool bodiless = HasNoBody(response.status);
  streaming_ = true;
  streamed_status_ = response.status;
  owed_ = bodiless ? std::nullopt : response.length;
  chunking_ = !http10_ && !bodiless && !owed_.has_value();
  // HTTP/1.0 marks the end of a body of unknown length by the end of the connection.
  close_after_ = response.close || !keep_alive_ || last() || (http10_ && !owed_.has_value());
  auto pieces = std::exchange(response.body, {});
  PushHead(response, {.content_length = owed_, .chunked = chunking_, .close = close_after_});
  if (bodiless) head_only_ = true;
  for (base::BufferSlice& piece : pieces) Write(std::move(piece));
}

bool Answer::Write(base::BufferSlice piece) {
  if (!streaming_) return false;
  // More bytes than announced would be taken for the next response.
  if (owed_.has_value()) {
    piece = piece.Sub(0, static_cast<size_t>(std::min<uint64_t>(*owed_, piece.size())));
    *owed_ -= piece.size();
  }
  if (!piece.empty() && !head_only_) {
    if (chunking_) {
      std::array<char, 24> line;
      char* end = std::to_chars(line.data(), line.data() + 16, piece.size(), 16).ptr;
      *end++ = '\r';
      *end++ = '\n';
      output_.Push(std::string_view(line.data(), end));
    }
    output_.Push(std::move(piece));
    if (chunking_) output_.Push("\r\n");
    host_.WantWrite();
  }
  session_.UpdateReading();
  return !above_high_water();
}

void Answer::End(Trailers) {
  // The missing bytes can no longer come.
  if (!streaming_ || owed_.value_or(0) > 0) return Abandon();
  if (chunking_ && !head_only_) {
    output_.Push("0\r\n\r\n");
    host_.WantWrite();
  }
  streaming_ = false;
  Finish(streamed_status_, close_after_ || last());
}

void Answer::OnWritable(base::Task task) {
  if (!above_high_water()) return host_.loop().Post(std::move(task));
  on_writable_ = std::move(task);
}

void Answer::OnPeerGone(base::Task task) {
  if (requests_.eof() && !host_.limits().keep_half_closed) return host_.loop().Post(std::move(task));
  on_peer_gone_ = std::move(task);
}

void Answer::TellPeerGone() {
  if (on_peer_gone_) host_.loop().Post(std::exchange(on_peer_gone_, nullptr));
}

void Answer::Abandon() {
  if (streaming_) return host_.Abort();
  Send(TransportAnswer(500, "the request was dropped without an answer", refusal_form_));
}

void Answer::Refuse(int status, std::string_view message) {
  HttpResponse response = TransportAnswer(status, message, refusal_form_);
  if (status == 503) response.headers.emplace_back("Retry-After", "1");
  response.close = true;
  Send(std::move(response));
}

void Answer::Finish(int status, bool close) {
  host_.metrics().CountResponse(status);
  on_peer_gone_ = nullptr;
  on_writable_ = nullptr;
  Release();
  http10_ = head_only_ = false;
  keep_alive_ = true;
  request_id_.clear();
  answer_headers_ = nullptr;
  refusal_form_ = nullptr;
  session_.OnAnswered(close);
}

void Answer::Release() {
  if (!open()) return;
  Close();
  host_.metrics().EndRequest();
}

void Answer::OnEof() {
  if (on_peer_gone_) std::exchange(on_peer_gone_, nullptr)();
}

base::Task Answer::OnClosed() {
  on_writable_ = nullptr;
  base::Task gone = std::exchange(on_peer_gone_, nullptr);
  Release();
  return gone;
}

bool Answer::OnWritten(size_t bytes) {
  output_.Written(bytes);
  if (output_.bytes() > host_.limits().write_high_water / 2) return false;
  if (on_writable_) std::exchange(on_writable_, nullptr)();
  return true;
}

}  // namespace inferd::net::http1

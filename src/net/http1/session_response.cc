#include <array>
#include <charconv>
#include <utility>

#include "net/http/net_metrics.h"
#include "net/http/transport_answer.h"
#include "net/http1/session.h"

// The answering half of http1::Session.

namespace inferd::net::http1 {

namespace {

// Bodies up to this size are copied behind their head: one piece costs less to write than two.
constexpr size_t kCopiedBodyBytesMax = 1024;

bool HasNoBody(int status) { return status < 200 || status == 204 || status == 304; }

}  // namespace

void Session::PushHead(const HttpResponse& response, ResponseFraming framing) {
  framing.http10 = framing_.http10;
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

void Session::Send(HttpResponse&& response) {
  uint64_t body_bytes = 0;
  for (const base::BufferSlice& piece : response.body) body_bytes += piece.size();
  const bool bodiless = HasNoBody(response.status);
  const bool close = response.close || !framing_.keep_alive || last();
  if (bodiless) response.body.clear();
  PushHead(response, {.content_length = bodiless ? std::nullopt : std::optional(body_bytes), .close = close});
  if (!head_only_ && !bodiless && body_bytes > kCopiedBodyBytesMax) {
    for (base::BufferSlice& piece : response.body) output_.Push(std::move(piece));
  }
  FinishResponse(response.status, close);
}

void Session::Start(HttpResponse&& response) {
  if (streaming_) return;
  const bool bodiless = HasNoBody(response.status);
  streaming_ = true;
  streamed_status_ = response.status;
  chunking_ = !framing_.http10 && !bodiless;
  // HTTP/1.0 knows the end of such a body by the end of the connection.
  close_after_ = response.close || !framing_.keep_alive || last() || framing_.http10;
  auto pieces = std::exchange(response.body, {});
  PushHead(response, {.content_length = std::nullopt, .chunked = chunking_, .close = close_after_});
  if (bodiless) head_only_ = true;
  for (base::BufferSlice& piece : pieces) Write(std::move(piece));
}

bool Session::Write(base::BufferSlice piece) {
  if (!streaming_) return false;
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
  UpdateReading();
  return !above_high_water();
}

void Session::End(Trailers) {
  if (!streaming_) return Abandon();
  if (chunking_ && !head_only_) {
    output_.Push("0\r\n\r\n");
    host_.WantWrite();
  }
  streaming_ = false;
  FinishResponse(streamed_status_, close_after_ || last());
}

void Session::OnWritable(base::Task task) {
  if (!above_high_water()) return host_.loop().Post(std::move(task));
  on_writable_ = std::move(task);
}

void Session::OnPeerGone(base::Task task) {
  if (eof_ && !host_.limits().keep_half_closed) return host_.loop().Post(std::move(task));
  on_peer_gone_ = std::move(task);
}

void Session::TellPeerGone() {
  if (on_peer_gone_) host_.loop().Post(std::exchange(on_peer_gone_, nullptr));
}

void Session::Abandon() {
  if (streaming_) return host_.Abort();
  Send(TransportAnswer(500, "the request was dropped without an answer", refusal_form_));
}

void Session::FinishResponse(int status, bool close) {
  host_.metrics().CountResponse(status);
  on_peer_gone_ = nullptr;
  on_writable_ = nullptr;
  EndRequest();
  // It may be what answers just now.
  if (sink_ != nullptr) host_.loop().Post([sink = std::move(sink_)] {});
  request_ = HttpRequest();
  framing_ = Framing();
  head_only_ = false;
  request_id_.clear();
  answer_headers_ = nullptr;
  refusal_form_ = nullptr;
  reading_clock_.Restart();
  if (close) {
    Finish();
  } else {
    state_ = State::kHead;
  }
  Advance();
}

// The framing cannot be trusted, or nobody wants to read on: answer and close.
void Session::Refuse(int status, std::string_view message) {
  HttpResponse response = TransportAnswer(status, message, refusal_form_);
  response.close = true;
  Send(std::move(response));
}

// A refused body is drained if it is short, so that the connection stays usable. A peer that waits for "100 Continue"
// may send it or not, so there the connection is closed.
void Session::RefuseBody(HttpResponse response) {
  const uint64_t length = request_.head.content_length.value_or(0);
  const bool has_body = framing_.chunked || length > 0;
  const Framing framing = framing_;
  response.close |= has_body && (length > kDrainBytesMax || framing.expect_continue);
  Send(std::move(response));
  if (!has_body || state_ == State::kFinished) return;
  framing_ = framing;
  drain_left_ = framing.chunked ? kDrainBytesMax : length;
  state_ = State::kDraining;
}

size_t Session::TakeOutput(std::vector<base::BufferSlice>& out, size_t bytes_max) {
  return output_.Take(out, bytes_max);
}

void Session::OnWritten(size_t bytes) {
  output_.Written(bytes);
  writing_clock_.Restart();
  if (output_.bytes() > host_.limits().write_high_water / 2) return;
  if (on_writable_) std::exchange(on_writable_, nullptr)();
  if (reading_paused_) Advance();
}

}  // namespace inferd::net::http1

#include <algorithm>
#include <utility>

#include "net/http/transport_answer.h"
#include "net/http1/session.h"

// How http1::Session reads a request's body, or drops it.

namespace inferd::net::http1 {

void Session::BeginBody() {
  const RequestHead& head = request_.head;
  const uint64_t length = head.content_length.value_or(0);
  const bool has_body = framing_.chunked || length > 0;
  chunks_ = ChunkDecoder(host_.limits().header_bytes_max);
  BodyPlan plan = host_.handler().OnHead(head);
  answer_headers_ = std::move(plan.answer_headers);
  refusal_form_ = plan.refusal_form;
  if (plan.refuse.has_value()) return RefuseBody(*std::move(plan.refuse));
  sink_ = std::move(plan.sink);
  if (!has_body) return Execute();
  const uint64_t limit = plan.bytes_max != 0 ? plan.bytes_max : host_.limits().body_bytes_max;
  if (length > limit) {
    return RefuseBody(TransportAnswer(413, "request body too large", refusal_form_));
  }
  body_ = Body(host_.bodies(), framing_.chunked ? std::nullopt : head.content_length, limit, plan.align_at,
               std::move(plan.memory));
  state_ = framing_.chunked ? State::kChunkedBody : State::kBody;
  reading_clock_.Restart();
  if (framing_.expect_continue && input().empty()) {
    output_.Push("HTTP/1.1 100 Continue\r\n\r\n");
    host_.WantWrite();
  }
}

bool Session::OnFill(Body::Fill fill) {
  if (fill == Body::Fill::kOk) return true;
  if (fill == Body::Fill::kTooLarge) {
    Refuse(413, "request body too large");
  } else {
    HttpResponse response = TransportAnswer(503, "too many request bytes in flight", refusal_form_);
    response.headers.emplace_back("Retry-After", "1");
    response.close = true;
    Send(std::move(response));
  }
  return false;
}

bool Session::ReadBody() {
  const std::string_view text = input();
  const uint64_t left = request_.head.content_length.value_or(0) - body_.size();
  const std::string_view taken = text.substr(0, left);
  if (!taken.empty()) {
    reading_clock_.Restart();
    if (!OnFill(body_.Append(Bytes(taken)))) return true;
    Skip(taken.size());
  }
  if (taken.size() == left) {
    Execute();
    return true;
  }
  if (eof_) Finish();
  return eof_;
}

bool Session::ReadChunkedBody() {
  while (chunks_.state() == ChunkDecoder::State::kFraming || chunks_.state() == ChunkDecoder::State::kData) {
    const std::string_view text = input();
    if (text.empty()) {
      if (eof_) Finish();
      return eof_;
    }
    reading_clock_.Restart();
    if (chunks_.state() == ChunkDecoder::State::kFraming) {
      Skip(chunks_.Consume(text));
      continue;
    }
    const std::string_view taken = text.substr(0, chunks_.data_left());
    if (!OnFill(body_.Append(Bytes(taken)))) return true;
    chunks_.Advance(taken.size());
    Skip(taken.size());
  }
  if (chunks_.state() == ChunkDecoder::State::kDone) {
    Execute();
  } else if (chunks_.state() == ChunkDecoder::State::kTooLong) {
    Refuse(431, "request trailers too large");
  } else {
    Refuse(400, "malformed chunked body");
  }
  return true;
}

// Drops the rest of a refused body. The response is already on its way.
bool Session::Drain() {
  for (;;) {
    const std::string_view text = input();
    const bool data = !framing_.chunked || chunks_.state() == ChunkDecoder::State::kData;
    const bool done = framing_.chunked ? chunks_.state() == ChunkDecoder::State::kDone : drain_left_ == 0;
    if (done) {
      state_ = State::kHead;
      reading_clock_.Restart();
      if (last()) Finish();
      return true;
    }
    if (text.empty() && !eof_) return false;
    if (text.empty() || (framing_.chunked && (drain_left_ == 0 || chunks_.state() > ChunkDecoder::State::kDone))) {
      Finish();
      return true;
    }
    uint64_t used = 0;
    if (data) {
      used = std::min<uint64_t>({text.size(), drain_left_, framing_.chunked ? chunks_.data_left() : UINT64_MAX});
      if (framing_.chunked) chunks_.Advance(used);
      drain_left_ -= used;
    } else {
      used = chunks_.Consume(text);
    }
    Skip(used);
  }
}

}  // namespace inferd::net::http1

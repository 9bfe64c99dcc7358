#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "net/http/session.h"
#include "net/http1/body_reader.h"
#include "net/http1/head_parser.h"
#include "net/http1/input.h"
#include "net/http1/repeated_head.h"
#include "net/http1/stopwatch.h"

namespace inferd::net::http1 {

// Reads a connection's bytes as one request after the other. It sends no answers: Read() reports its progress, and the
// session decides the next step. Loop-bound.
//
//              +------------------- Next ----------------------+
//              v                                               |
//   kHead --head, BeginBody--> kBody --whole body, Hold--> kExecuting
//     |  ^                       |
//     |  +--rest of the body--  kDropping <--Next, DropBody, after a body was refused
//     +--Stop--> kFinished (what comes is ignored)
class RequestReader final {
 public:
  enum class State { kHead, kBody, kDropping, kExecuting, kFinished };
  enum class Event {
    kNone,     // more bytes must arrive, or the session must act first
    kHead,     // request().head and framing() are complete: call BeginBody or Hold, or Next and DropBody
    kBody,     // ... and so is the body: call Hold
    kDropped,  // a refused body was dropped; the next request may arrive
    kHttp2,    // text() begins with HTTP/2's preface in place of a request
    kRefused,  // error() says why; later bytes cannot be trusted, or are not wanted
    kEnd,      // the peer stopped in the middle of a request, or a refused body has no end
  };

  // If `find_http2`, it looks for HTTP/2's preface.
  RequestReader(SessionHost& host, bool find_http2)
      : host_(host), find_http2_(find_http2), scanner_(host.limits()), body_(host.limits().header_bytes_max) {}

  // As Session::PrepareRead(), OnRead() and OnEof(). Commit() returns false if the body is refused; error() has the
  // reason.
  std::span<std::byte> Space();
  bool Commit(size_t bytes) {
    if (reading_into_body_) return CommitBody(bytes);
    input_.Commit(bytes);
    return true;
  }
  void OnEof() { eof_ = true; }

  Event Read() {
    switch (state_) {
      case State::kHead: return ReadHead();
      case State::kBody: return ReadBody();
      case State::kDropping: return DropRest();
      case State::kExecuting: return Event::kNone;
      case State::kFinished: break;
    }
    input_.Clear();
    return Event::kNone;
  }

  // Call only after kHead.
  void BeginBody(Body&& body);
  // Stops reading until Next(), because the request was handed over.
  void Hold() { state_ = State::kExecuting; }
  base::BufferSlice TakeBody() { return body_.Finish(); }
  // Forgets the request, which was answered.
  void Next();
  // Drops the body at the position where the next request is expected; see BodyReader::BeginDrop().
  void DropBody(std::optional<uint64_t> length, uint64_t chunked_bytes_max);
  // Stops reading for good, and frees an incomplete body.
  void Stop();

  State state() const { return state_; }
  // The request that is being read or executed. The receiver of the request moves from it.
  HttpRequest& request() { return request_; }
  const Framing& framing() const { return framing_; }
  bool has_body() const { return framing_.chunked || request_.head.content_length.value_or(0) > 0; }
  // Absent if the body is chunked.
  std::optional<uint64_t> body_length() const {
    return framing_.chunked ? std::nullopt : std::optional(request_.head.content_length.value_or(0));
  }
  const HttpError& error() const { return error_; }
  const Input& input() const { return input_; }
  bool eof() const { return eof_; }
  // True if another request has begun to arrive. Empty lines before it do not count (RFC 9112, 2.2).
  bool HasNext() const { return input_.text().find_first_not_of("\r\n") != std::string_view::npos; }
  // Time since the wait for a head began, since the head's first byte, or since the body's last progress.
  Stopwatch& clock() { return clock_; }
  // Frees memory. Call only when the input is empty.
  void Shrink() {
    input_.Release();
    repeated_.Forget();
  }

 private:
  bool CommitBody(size_t bytes);
  Event ReadHead();
  Event ParseRequest(std::string_view text);
  Event RepeatRequest(size_t bytes);
  Event ReadBody();
  Event DropRest();
  Event Refuse(HttpError error);
  Event RefuseBody(BodyReader::Result result);

  SessionHost& host_;
  const bool find_http2_;
  State state_ = State::kHead;
  Input input_;
  HeadScanner scanner_;
  RepeatedHead repeated_;
  BodyReader body_;
  HttpRequest request_;
  Framing framing_;
  HttpError error_;
  bool reading_into_body_ = false;
  bool eof_ = false;
  Stopwatch clock_;
};

}  // namespace inferd::net::http1

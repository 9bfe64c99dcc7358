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

// What arrives on a connection, as one request after the other. It answers nothing: Read says how far it came, and the
// session what is to be done next. Loop-bound.
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
    kNone,     // more has to arrive, or the session to do something, first
    kHead,     // request().head and framing() are there: BeginBody or Hold, or Next and DropBody
    kBody,     // ... and so is the body: Hold
    kDropped,  // a refused body is through; the next request may come
    kHttp2,    // HTTP/2's preface, which text() begins with, stands where a request should begin
    kRefused,  // error() says why; what follows cannot be trusted, or is not wanted
    kEnd,      // the peer was done in the middle of a request, or a refused body has no end
  };

  // `find_http2`: the preface of HTTP/2 is looked for.
  RequestReader(SessionHost& host, bool find_http2)
      : host_(host), find_http2_(find_http2), scanner_(host.limits()), body_(host.limits().header_bytes_max) {}

  // As Session::PrepareRead, OnRead and OnEof. False: error() says why the body is refused.
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

  // Only after kHead.
  void BeginBody(Body&& body);
  // The request is handed over: nothing is read until Next.
  void Hold() { state_ = State::kExecuting; }
  base::BufferSlice TakeBody() { return body_.Finish(); }
  // The request is answered, and forgotten.
  void Next();
  // Drops the body that stands where the next request is expected; see BodyReader::BeginDrop.
  void DropBody(std::optional<uint64_t> length, uint64_t chunked_bytes_max);
  // Nothing is read any more; what has arrived of a body is given back.
  void Stop();

  State state() const { return state_; }
  // The request that is being read or executed: moved from by whoever it is handed to.
  HttpRequest& request() { return request_; }
  const Framing& framing() const { return framing_; }
  bool has_body() const { return framing_.chunked || request_.head.content_length.value_or(0) > 0; }
  // Absent: the body is chunked.
  std::optional<uint64_t> body_length() const {
    return framing_.chunked ? std::nullopt : std::optional(request_.head.content_length.value_or(0));
  }
  const HttpError& error() const { return error_; }
  const Input& input() const { return input_; }
  bool eof() const { return eof_; }
  // Whether another request has begun to arrive; empty lines before it are none (RFC 9112, 2.2).
  bool HasNext() const { return input_.text().find_first_not_of("\r\n") != std::string_view::npos; }
  // Since the wait for a head, its first byte, or the body's last progress.
  Stopwatch& clock() { return clock_; }
  // Gives memory back. Only when the input is empty.
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

#pragma once

#include <cstddef>
#include <memory>

#include "base/buffer.h"
#include "base/executor.h"
#include "base/status.h"
#include "net/compression/content_coding.h"
#include "net/http/http.h"
#include "protocols/call/infer_call.h"
#include "protocols/rest/answer_deadline.h"
#include "protocols/rest/call.h"
#include "protocols/rest/event_form.h"
#include "protocols/rest/options.h"
#include "serving/core/dispatcher.h"

namespace inferd::rest {

// The environment of an inference, for any protocol. Everything must outlive the calls.
struct Surroundings {
  const Options& options;
  core::Dispatcher& dispatcher;  // this loop's
  base::Executor& pool;          // for big decoding and encoding
};

template <typename Environment>
Surroundings SurroundingsOf(const Environment& environment) {
  return {.options = environment.options, .dispatcher = environment.dispatcher, .pool = environment.pool};
}

// One inference over HTTP. A compressed body is read on the pool. Once dispatched, a call with a time limit is answered
// when that is up; its steps continue without effect. A protocol defines how its bodies are read and written, and
// whether the responses are events of a stream (ResponseStream).
class InferCall : public call::InferCall<net::HttpRequest> {
 protected:
  InferCall(const Surroundings& surroundings, Call&& call);

  Call& call() { return call_; }
  // Sets the body's coding. Byte `align_at` is aligned when the body is decoded (net::Decompress()).
  void SetCoding(net::ContentCoding coding, size_t align_at = 0);
  // Call in BeginWith(): the responses are streamed as they come, each encoded by Encode() as JSON only.
  void SetEvents(EventForm form) { event_form_ = form; }
  EventForm event_form() const { return event_form_; }
  // Sets the HTTP status for a failure with `status`, in place of the table's.
  base::Status WithHttpStatus(int http_status, base::Status status);

 private:
  friend class ResponseStream;

  // Runs before the body is read, on the loop. It runs a second time if the model was loaded for the call; then the
  // model is pinned.
  virtual base::Status BeginWith(const net::RequestHead& head) = 0;
  core::VersionName Meant() const override = 0;
  // For a body that is not compressed.
  virtual bool DecodingIsBig(size_t body_bytes) const = 0;
  // Decodes the plain body to a request that lacks only the facts of the request's head. The model is pinned by then.
  virtual base::Result<std::unique_ptr<core::InferRequest>> Decode(const base::BufferSlice& body) = 0;
  // Returns Decode()'s error, perhaps with help for the person who sent the request.
  virtual base::Status Advised(base::Status failure) const { return failure; }
  virtual void OnInfer(const core::InferRequest& request) { static_cast<void>(request); }
  // `response` is a success.
  virtual base::Result<net::HttpResponse> Encode(core::InferResponse&& response) = 0;
  // Returns the response for when Options::inference_timeout_ns is up. It must not depend on the call.
  virtual AnswerDeadline::MakeAnswer late_answer() const;
  // The error if the model gave several responses, or none: only one can be sent.
  base::Status NotOneResponse() const override;
  // Runs on the loop before the response is sent. For a stream, `answer` is that of its end, and has already begun.
  virtual void OnEnd(base::StatusCode code, net::HttpResponse& answer) {
    static_cast<void>(code);
    static_cast<void>(answer);
  }

  net::Loop& loop() const final { return call_.loop(); }
  core::TraceSubject::Transport transport() const final { return core::TraceSubject::Transport::kHttp; }
  void OnPeerGone(base::Task task) final { call_.reply().OnPeerGone(std::move(task)); }
  int64_t deadline_ns() const final { return deadline_ == nullptr ? 0 : deadline_->at_ns(); }
  base::Status Begin(const net::HttpRequest& http) final;
  bool ReadingIsBig(const net::HttpRequest& http) const final;
  base::Result<std::unique_ptr<core::InferRequest>> Read(const net::HttpRequest& http) final;
  void OnRead(const core::InferRequest& request) final { call_.SetRequestId(request.id); }
  void OnDispatch(core::InferRequest& request) final;
  core::Completion TakeResponses(Owned self) final;
  base::Status MakeAnswer(core::InferResponse&& response) final;
  void Send() final;

  // --- For ResponseStream.
  const Options& options() const { return surroundings_.options; }
  base::Executor& pool() const { return surroundings_.pool; }
  // Returns false if the time was up, and the call is answered.
  bool BeginStream();
  base::Result<net::HttpResponse> EncodeEvent(core::InferResponse&& response);
  void EndStream(const base::Status& status, int http_status);

  const Surroundings surroundings_;
  Call call_;
  std::shared_ptr<AnswerDeadline> deadline_;  // null if none
  net::ContentCoding coding_ = net::ContentCoding::kIdentity;
  size_t align_at_ = 0;
  EventForm event_form_ = EventForm::kNone;
  std::shared_ptr<core::ResponseFlow> flow_;  // of the events; also the request's
  int http_status_ = 0;                       // of a failure; 0 for the table's
  net::HttpResponse answer_;
};

}  // namespace inferd::rest

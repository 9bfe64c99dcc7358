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

// What an inference works with, whatever its protocol. Everything outlives the calls.
struct Surroundings {
  const Options& options;
  core::Dispatcher& dispatcher;  // this loop's
  base::Executor& pool;          // big decoding and encoding
};

template <typename Environment>
Surroundings SurroundingsOf(const Environment& environment) {
  return {.options = environment.options, .dispatcher = environment.dispatcher, .pool = environment.pool};
}

// One inference over HTTP. A body that is compressed is read on the pool. Once dispatched, the call is answered when
// its time is up, if it has a limit; its steps go on, unheard. A protocol says how its bodies are read and written, and
// whether the responses are events of a stream (ResponseStream).
class InferCall : public call::InferCall<net::HttpRequest> {
 protected:
  InferCall(const Surroundings& surroundings, Call&& call);

  Call& call() { return call_; }
  // How the body is coded; its byte `align_at` is aligned when it is decoded (net::Decompress).
  void SetCoding(net::ContentCoding coding, size_t align_at = 0);
  // In BeginWith: the responses go to the client as they come, each encoded by Encode as JSON alone.
  void SetEvents(EventForm form) { event_form_ = form; }
  EventForm event_form() const { return event_form_; }
  // The status with which the call fails if it fails with `status`, in place of the table's.
  base::Status WithHttpStatus(int http_status, base::Status status);

 private:
  friend class ResponseStream;

  // What goes before the body is looked at, on the loop; a second time if the model was loaded for the call, which is
  // pinned then.
  virtual base::Status BeginWith(const net::RequestHead& head) = 0;
  core::VersionName Meant() const override = 0;
  // Of a body that is not compressed.
  virtual bool DecodingIsBig(size_t body_bytes) const = 0;
  // The plain body, ready to be dispatched but for what the request's head says; the model is pinned by then.
  virtual base::Result<std::unique_ptr<core::InferRequest>> Decode(const base::BufferSlice& body) = 0;
  virtual void OnInfer(const core::InferRequest& request) { static_cast<void>(request); }
  // `response` is a success.
  virtual base::Result<net::HttpResponse> Encode(core::InferResponse&& response) = 0;
  // What is answered when Options::inference_timeout_ns is up; wherever the call is then, this does not need it.
  virtual AnswerDeadline::MakeAnswer late_answer() const;
  // Where the model gave several responses, or none: there is room for one.
  base::Status NotOneResponse() const override;
  // Before the answer leaves, on the loop; `answer` is that of a stream's end, which has begun already.
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

  // For the stream of its responses.
  const Options& options() const { return surroundings_.options; }
  base::Executor& pool() const { return surroundings_.pool; }
  // False: the time was up, and the call is answered.
  bool BeginStream();
  base::Result<net::HttpResponse> EncodeEvent(core::InferResponse&& response);
  void EndStream(const base::Status& status);

  const Surroundings surroundings_;
  Call call_;
  std::shared_ptr<AnswerDeadline> deadline_;  // null: none
  net::ContentCoding coding_ = net::ContentCoding::kIdentity;
  size_t align_at_ = 0;
  EventForm event_form_ = EventForm::kNone;
  std::shared_ptr<core::ResponseFlow> flow_;  // of the events; the request's too
  int http_status_ = 0;                       // of a failure; 0: the table's
  net::HttpResponse answer_;
};

}  // namespace inferd::rest

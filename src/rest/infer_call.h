#pragma once

#include <cstddef>
#include <memory>

#include "base/buffer.h"
#include "base/executor.h"
#include "base/status.h"
#include "core/dispatcher.h"
#include "net/compression/content_coding.h"
#include "net/http/http.h"
#include "rest/answer_deadline.h"
#include "rest/call.h"
#include "rest/options.h"
#include "v2/single_response.h"

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

// One inference on its way, owned by the function that takes the next step:
//
//   Start (loop) -> Begin (loop) -> Decode (loop, or pool if big or compressed) -> Dispatch (loop)
//     -> OnResponse (any thread) -> Encode (loop, or pool if big) -> Send (loop)
//
// Where Begin finds that the model is yet to be loaded for the request, the call waits for that, and begins again. Once
// dispatched, it is answered when its time is up, if it has a limit; its steps go on, unheard.
// A step that fails answers and ends it. Never shared between threads. A protocol says how its bodies are read and
// written; what an override throws for want of memory is RESOURCE_EXHAUSTED. The request it came as goes from step to
// step beside it, so that it stays small enough for the allocator's fast path (1 KiB).
class InferCall {
 public:
  virtual ~InferCall() = default;

  // Takes the request to its answer. Loop-bound.
  static void Start(std::unique_ptr<InferCall> self, net::HttpRequest&& request);

 protected:
  InferCall(const Surroundings& surroundings, Call&& call);

  Call& call() { return call_; }
  core::Dispatcher& dispatcher() const { return surroundings_.dispatcher; }
  // How the body is coded; its byte `align_at` is aligned when it is decoded (net::Decompress).
  void SetCoding(net::ContentCoding coding, size_t align_at = 0);
  net::ContentCoding coding() const { return coding_; }
  void Pin(std::shared_ptr<const core::PinnedModel> model) { pinned_ = std::move(model); }
  const core::PinnedModel* pinned() const { return pinned_.get(); }
  const std::shared_ptr<const core::PinnedModel>& shared_pinned() const { return pinned_; }
  // The call's end is an error; `http_status` 0: the table's.
  void Fail(const base::Status& status, int http_status = 0, int64_t retry_after_ms = 0);

 private:
  using Owned = std::unique_ptr<InferCall>;

  // What goes before the body is looked at, on the loop; a second time if the model was loaded for the call, which is
  // pinned then.
  virtual void Begin(const net::RequestHead& head) { static_cast<void>(head); }
  // The model and the version that the path means, as far as Begin knows.
  virtual core::VersionName Meant() const = 0;
  // Of a body that is not compressed.
  virtual bool DecodingIsBig(size_t body_bytes) const = 0;
  // The plain body, ready to be dispatched but for what the request's head says; the model is pinned by then.
  virtual base::Result<std::unique_ptr<core::InferRequest>> Decode(const base::BufferSlice& body) = 0;
  virtual void OnDispatch(const core::InferRequest& request) { static_cast<void>(request); }
  // The final response has come, on any thread.
  virtual void OnFinal() {}
  virtual bool EncodingIsBig(const core::InferResponse& response) const = 0;
  // `response` is a success.
  virtual base::Result<net::HttpResponse> Encode(core::InferResponse&& response) = 0;
  // What is answered when Options::inference_timeout_ns is up; wherever the call is then, this does not need it.
  virtual AnswerDeadline::MakeAnswer late_answer() const;
  // Before the answer leaves, on the loop.
  virtual void OnEnd(base::StatusCode code, net::HttpResponse& answer) {
    static_cast<void>(code);
    static_cast<void>(answer);
  }

  static void AwaitModel(Owned self, net::HttpRequest&& request);
  static void Resume(Owned self, net::HttpRequest&& request, core::LoadOutcome&& outcome);
  static void GoOn(Owned self, net::HttpRequest&& request);
  void DecodeStep(const net::HttpRequest& http);
  base::Status ReadRequest(const net::HttpRequest& http);
  static void Dispatch(Owned self);
  static void OnResponse(Owned& self, core::InferResponse&& response);
  void EncodeStep();
  void Send();

  void SetDeadline();
  int64_t deadline_ns() const { return deadline_ == nullptr ? 0 : deadline_->at_ns(); }

  const Surroundings surroundings_;
  Call call_;
  std::shared_ptr<AnswerDeadline> deadline_;  // null: none
  net::ContentCoding coding_ = net::ContentCoding::kIdentity;
  size_t align_at_ = 0;
  std::shared_ptr<const core::PinnedModel> pinned_;
  std::unique_ptr<core::InferRequest> request_;
  v2::SingleResponse response_;
  net::HttpResponse answer_;
  base::StatusCode failure_ = base::StatusCode::kOk;  // not OK: the answer is an error's
};

}  // namespace inferd::rest

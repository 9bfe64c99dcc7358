#pragma once

#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "base/executor.h"
#include "base/status.h"
#include "net/loop/loop.h"
#include "net/loop/off_loop.h"
#include "protocols/call/await_load.h"
#include "protocols/call/tracing.h"
#include "protocols/v2/single_response.h"
#include "serving/core/dispatcher.h"
#include "serving/core/request/queue_full.h"

namespace inferd::call {

// The environment of an inference, for any transport. Everything must outlive the calls.
struct Models {
  core::Dispatcher& dispatcher;       // this loop's
  base::Executor& pool;               // for big decoding and encoding
  const core::QueueFull& queue_full;  // the answer to clients if a queue is full
};

// One inference with one response in progress, owned by the function that takes the next step:
//
//   Start (loop) -> Begin (loop) -> Read (loop, or pool if big) -> Dispatch (loop) -> OnResponse (any thread)
//     -> MakeAnswer (loop, or pool if big) -> Send (loop)
//
// A transport that can send several responses takes them itself from Dispatch on (TakeResponses()).
//
// If the model must first be loaded for the request, the call waits before the step that pins it, and repeats that
// step. A failing step ends the call: Send() sends the failure. A call is never shared between threads. If an override
// throws because of memory shortage, the call fails with RESOURCE_EXHAUSTED.
//
// `Message` is the message from the wire. It is passed from step to step beside the call until it is read, so that the
// call stays small enough for the allocator's fast path (1 KiB).
//
// rest::InferCall and rpc::InferCall are the transports; each protocol derives from one of them.
template <typename Message>
class InferCall {
 public:
  using Owned = std::unique_ptr<InferCall>;

  virtual ~InferCall() = default;

  // Runs the call from its message to its response. Loop-bound.
  static void Start(Owned self, Message&& message) {
    self->OnPeerGone([cancel = self->cancel_] { cancel->Cancel(); });
    GoOn(std::move(self), std::move(message));
  }

 protected:
  explicit InferCall(const Models& models) : models_(models), cancel_(std::make_shared<core::CancelFlag>()) {}

  core::Dispatcher& dispatcher() const { return models_.dispatcher; }
  // Sets the version that answers: from Begin() on if that pins it, or else from Dispatch on.
  void Pin(std::shared_ptr<const core::PinnedModel> model) { pinned_ = std::move(model); }
  const core::PinnedModel* pinned() const { return pinned_.get(); }
  core::RequestTrace* trace() const { return trace_.get(); }
  const std::shared_ptr<const core::PinnedModel>& shared_pinned() const { return pinned_; }

  // True if the client has gone, or the deadline has passed.
  bool cancelled() const { return cancel_->cancelled(); }
  void Cancel() { cancel_->Cancel(); }
  // Returns the number of responses that the model gave. For NotOneResponse().
  size_t response_count() const { return response_.count(); }
  // failure(): if not OK, the call ends with it. retry_after_ms(): when a retry may succeed; 0 if unknown.
  const base::Status& failure() const { return failure_; }
  int64_t retry_after_ms() const { return retry_after_ms_; }

  // Ends the call with a failed response, which Send() sends.
  void Fail(const core::InferResponse& response) {
    failure_ = core::FailureOf(response, models_.queue_full);
    retry_after_ms_ = response.retry_after_ms;
  }
  void Fail(base::Status status) { failure_ = std::move(status); }

  // Returns the receiver of the request's responses, on the loop. By default they become the only response.
  virtual core::Completion TakeResponses(Owned self) {
    return core::Completion(
        [self = std::move(self)](core::InferResponse&& response) mutable { OnResponse(self, std::move(response)); });
  }
  virtual bool EncodingIsBig(const core::InferResponse& response) const = 0;
  // Executes the request. `completion` owns this object, which may be gone when it is called.
  virtual void Execute(std::unique_ptr<core::InferRequest> request, core::Completion completion) {
    std::shared_ptr<const core::PinnedModel> pinned = pinned_;
    dispatcher().Infer(std::move(pinned), std::move(request), std::move(completion));
  }

 private:
  // --- The transport's part.
  virtual net::Loop& loop() const = 0;
  virtual core::TraceSubject::Transport transport() const = 0;
  virtual void OnPeerGone(base::Task task) = 0;
  virtual int64_t deadline_ns() const = 0;  // base::Clock::NowNs; 0 for none
  // Sends the response, or failure(), on the loop. The call is over.
  virtual void Send() = 0;

  // Runs before the message is read, on the loop. It runs a second time if the model was loaded for the call; then the
  // model is pinned.
  virtual base::Status Begin(const Message& message) = 0;
  // Returns the model and the version that the message names, as far as known.
  virtual core::VersionName Meant() const {
    if (request_ == nullptr) return {};
    return {.model = request_->model_name, .version = request_->model_version};
  }
  virtual bool ReadingIsBig(const Message& message) const = 0;
  // Converts the message to a request, without its deadline and its cancel flag.
  virtual base::Result<std::unique_ptr<core::InferRequest>> Read(const Message& message) = 0;
  // Runs when the message was read, on the loop. It runs again if the model was loaded for the call meanwhile.
  virtual void OnRead(const core::InferRequest& request) = 0;
  // Runs when the model is pinned, on the loop.
  virtual void OnDispatch(core::InferRequest& request) = 0;
  // Runs when the final response has come, on any thread.
  virtual void OnFinal() {}
  // Returns the error if a model with any number of responses gave several, or none: only one can be sent.
  virtual base::Status NotOneResponse() const = 0;
  // `response` is a success.
  virtual base::Status MakeAnswer(core::InferResponse&& response) = 0;

  static void GoOn(Owned self, Message&& message) {
    self->failure_ = self->Begin(message);
    if (self->MayAwaitModel()) {
      return AwaitModel(std::move(self), [message = std::move(message)](Owned call) mutable {
        GoOn(std::move(call), std::move(message));
      });
    }
    if (!self->failure_.ok()) return self->Send();
    if (!self->ReadingIsBig(message)) {
      self->ReadStep(message);
      return Dispatch(std::move(self));
    }
    base::Executor& pool = self->models_.pool;
    pool.Post([self = std::move(self), message = std::move(message)]() mutable {
      self->ReadStep(message);
      message = Message();  // freed while the request waits
      net::Loop& loop = self->loop();
      loop.Post([self = std::move(self)]() mutable { Dispatch(std::move(self)); });
    });
  }

  bool MayAwaitModel() const {
    if (pinned_ != nullptr || awaited_) return false;
    const core::VersionName meant = Meant();
    return !meant.model.empty() && dispatcher().LoadsOnDemand(meant.model, meant.version);
  }

  // `resume` continues with the model pinned. If loading fails, the call ends.
  template <typename Resume>
  static void AwaitModel(Owned self, Resume resume) {
    self->awaited_ = true;
    const core::VersionName meant = self->Meant();
    core::LoadDemand demand{.model = std::string(meant.model),
                            .version = std::string(meant.version),
                            .deadline_ns = self->deadline_ns(),
                            .cancel = self->cancel_,
                            .done = nullptr};
    InferCall& call = *self;
    AwaitLoad(call.dispatcher(), call.loop(), std::move(demand), std::move(self),
              [resume = std::move(resume)](Owned waiting, core::LoadOutcome&& outcome) mutable {
                if (outcome.status.ok()) {
                  waiting->Pin(std::move(outcome.model));
                  return resume(std::move(waiting));
                }
                waiting->failure_ = std::move(outcome.status);
                waiting->retry_after_ms_ = outcome.retry_after_ms;
                waiting->Send();
              });
  }

  // Sends the response. The call is over, and its owner may be gone.
  void SendTraced() {
    if (trace_ == nullptr) return Send();
    using core::TraceActivity;
    const std::shared_ptr<core::RequestTrace> trace = std::move(trace_);
    const bool http = transport() == core::TraceSubject::Transport::kHttp;
    trace->AddNow(http ? TraceActivity::kHttpSendStart : TraceActivity::kGrpcSendStart);
    Send();
    trace->AddNow(http ? TraceActivity::kHttpSendEnd : TraceActivity::kGrpcSendEnd);
  }

  // Tensors that are views into the message keep it alive afterwards.
  void ReadStep(const Message& message) {
    try {
      auto request = Read(message);
      if (request.has_value()) {
        request_ = *std::move(request);
      } else {
        failure_ = std::move(request).error();
      }
    } catch (const std::bad_alloc&) {
      failure_ = base::ResourceExhausted("not enough memory for this request");
    }
  }

  static void Dispatch(Owned self) {
    if (!self->failure_.ok()) return self->Send();
    self->OnRead(*self->request_);
    if (self->pinned_ == nullptr) {
      auto pinned = self->dispatcher().Find(self->request_->model_name, self->request_->model_version);
      if (!pinned.has_value()) {
        if (self->MayAwaitModel()) {
          return AwaitModel(std::move(self), [](Owned call) { Dispatch(std::move(call)); });
        }
        self->failure_ = std::move(pinned).error();
        return self->Send();
      }
      self->pinned_ = *std::move(pinned);
    }
    std::unique_ptr<core::InferRequest> request = std::move(self->request_);
    request->deadline_ns = self->deadline_ns();
    request->cancel = self->cancel_;
    self->OnDispatch(*request);
    self->trace_ = BeginTrace(self->dispatcher(), *request, self->pinned_->version(), self->transport());
    InferCall& call = *self;
    core::Completion completion = call.TakeResponses(std::move(self));
    call.Execute(std::move(request), std::move(completion));
  }

  static void OnResponse(Owned& self, core::InferResponse&& response) {
    if (!self->response_.Add(std::move(response))) return;
    self->OnFinal();
    const core::InferResponse& single = self->response_.response();
    const bool silent = single.status.ok() && single.outputs.empty() && single.parameters.empty();
    if (self->response_.many() || (silent && self->pinned_->signature().decoupled)) {
      self->failure_ = self->NotOneResponse();
    } else if (!single.status.ok()) {
      self->Fail(single);
    }
    const bool big = self->failure_.ok() && self->EncodingIsBig(single);
    net::Loop& loop = self->loop();
    base::Executor& pool = self->models_.pool;
    net::WorkThenGoOn(
        std::move(self), loop, pool, big, [](InferCall& call) { call.AnswerStep(); },
        [](InferCall& call) { call.SendTraced(); });
  }

  void AnswerStep() {
    if (!failure_.ok()) return;
    try {
      failure_ = MakeAnswer(std::move(response_.response()));
    } catch (const std::bad_alloc&) {
      failure_ = base::ResourceExhausted("not enough memory for this response");
    }
  }

  const Models models_;
  const std::shared_ptr<core::CancelFlag> cancel_;
  std::unique_ptr<core::InferRequest> request_;
  std::shared_ptr<const core::PinnedModel> pinned_;
  std::shared_ptr<core::RequestTrace> trace_;  // null if the request is not traced
  bool awaited_ = false;                       // true if the model was loaded for the call
  v2::SingleResponse response_;
  base::Status failure_;
  int64_t retry_after_ms_ = 0;
};

}  // namespace inferd::call

#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/buffer.h"
#include "base/status.h"
#include "core/dispatcher.h"
#include "net/grpc/call_context.h"
#include "net/grpc/responder.h"
#include "rpc/call.h"
#include "rpc/inference.h"
#include "rpc/surroundings.h"
#include "v2/single_response.h"

namespace inferd::rpc {

// One unary inference on its way, owned by the function that takes the next step:
//
//   Start (loop) -> Begin (loop) -> Prepare (loop, or pool if big) -> Dispatch (loop) -> OnResponse (any thread)
//     -> Encode (loop, or pool if big) -> Send (loop)
//
// Where the model is yet to be loaded for the request, the call waits for that before the step that pins it.
// A step that fails answers and ends it. Never shared between threads. A protocol says how its messages are read and
// written; what an override throws for want of memory is RESOURCE_EXHAUSTED.
class InferCall {
 public:
  virtual ~InferCall() = default;

  // Takes the request to its answer. Loop-bound.
  static void Start(std::unique_ptr<InferCall> self);

 protected:
  InferCall(const Surroundings& surroundings, net::grpc::CallContext&& context, base::BufferSlice message,
            net::grpc::Responder responder);

  const Options& options() const { return surroundings_.options; }
  core::Dispatcher& dispatcher() const { return surroundings_.dispatcher; }
  Call& call() { return call_; }
  const Forwarded& forwarded() const { return forwarded_; }
  // The version that answers: from Begin on, where that pins it, or else from Dispatch on.
  void Pin(std::shared_ptr<const core::PinnedModel> model) { pinned_ = std::move(model); }
  const core::PinnedModel* pinned() const { return pinned_.get(); }
  const std::shared_ptr<const core::PinnedModel>& shared_pinned() const { return pinned_; }
  // Has the request answered. `completion` owns this: it may be gone when that is called.
  virtual void Execute(std::unique_ptr<core::InferRequest> request, core::Completion completion);
  int64_t received_ns() const { return received_ns_; }

 private:
  using Owned = std::unique_ptr<InferCall>;

  // What goes before the message is taken apart, on the loop; a second time if the model was loaded for the call,
  // which is pinned then.
  virtual base::Status Begin(const base::BufferSlice& message) {
    static_cast<void>(message);
    return {};
  }
  // The model and the version that the message means, as far as is known.
  virtual core::VersionName Meant() const;
  virtual bool PreparingIsBig(const base::BufferSlice& message) const = 0;
  // The message, ready to be dispatched but for what the call says (times, trace, cancel flag).
  virtual base::Result<std::unique_ptr<core::InferRequest>> Prepare(const base::BufferSlice& message) = 0;
  virtual void OnDispatch(const core::InferRequest& request) { static_cast<void>(request); }
  // The final response has come, on any thread.
  virtual void OnFinal() {}
  virtual bool EncodingIsBig(const core::InferResponse& response) const = 0;
  // `response` is a success.
  virtual base::Result<net::grpc::Message> Encode(core::InferResponse&& response) = 0;
  // What a model with several responses is answered, which a unary call has no room for.
  virtual base::Status TooManyResponses() const = 0;
  // The call is about to end, on the loop.
  virtual void OnEnd(base::StatusCode code) { static_cast<void>(code); }

  bool MayAwaitModel() const;
  static void AwaitModel(Owned self, void (*resume)(Owned self));
  static void GoOn(Owned self);
  void PrepareStep();
  static void Dispatch(Owned self);
  static void OnResponse(Owned& self, core::InferResponse&& response);
  void EncodeStep();
  void Send();

  const Surroundings surroundings_;
  Call call_;
  base::BufferSlice message_;
  const int64_t received_ns_;
  const int64_t deadline_ns_;
  std::string traceparent_;
  const Forwarded forwarded_;
  const std::shared_ptr<core::CancelFlag> cancel_;
  std::unique_ptr<core::InferRequest> request_;
  std::shared_ptr<const core::PinnedModel> pinned_;
  bool awaited_ = false;  // the model was loaded for the call
  v2::SingleResponse response_;
  net::grpc::Message answer_;
  base::Status failure_;  // not OK: the call's end
  int64_t retry_after_ms_ = 0;
};

}  // namespace inferd::rpc

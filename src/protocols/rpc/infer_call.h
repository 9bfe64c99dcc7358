#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/buffer.h"
#include "base/status.h"
#include "net/grpc/call_context.h"
#include "net/grpc/responder.h"
#include "protocols/call/infer_call.h"
#include "protocols/rpc/call.h"
#include "protocols/rpc/inference.h"
#include "protocols/rpc/surroundings.h"
#include "serving/core/dispatcher.h"

namespace inferd::rpc {

// One unary inference over gRPC. A protocol defines how its messages are read and written.
class InferCall : public call::InferCall<base::BufferSlice> {
 protected:
  InferCall(const Surroundings& surroundings, net::grpc::CallContext&& context, net::grpc::Responder responder);

  const Options& options() const { return surroundings_.options; }
  Call& call() { return call_; }
  const Forwarded& forwarded() const { return forwarded_; }
  int64_t received_ns() const { return received_ns_; }

 private:
  base::Status Begin(const base::BufferSlice& message) override {
    static_cast<void>(message);
    return {};
  }
  virtual void OnInfer(const core::InferRequest& request) { static_cast<void>(request); }
  // `response` is a success.
  virtual base::Result<net::grpc::Message> Encode(core::InferResponse&& response) = 0;
  // Returns the response to a failed call in protocols whose calls always end with OK. nullopt if the failure is the
  // call's status.
  virtual std::optional<net::grpc::Message> AnswerTo(const base::Status& failure) {
    static_cast<void>(failure);
    return std::nullopt;
  }
  // Runs on the loop before the call ends.
  virtual void OnEnd(base::StatusCode code) { static_cast<void>(code); }

  net::Loop& loop() const final { return call_.loop(); }
  core::TraceSubject::Transport transport() const final { return core::TraceSubject::Transport::kGrpc; }
  void OnPeerGone(base::Task task) final;
  int64_t deadline_ns() const final { return deadline_ns_; }
  void OnRead(const core::InferRequest& request) final;
  void OnDispatch(core::InferRequest& request) final;
  base::Status MakeAnswer(core::InferResponse&& response) final;
  void Send() final;

  const Surroundings surroundings_;
  Call call_;
  const int64_t received_ns_;
  const int64_t deadline_ns_;
  std::string traceparent_;
  const Forwarded forwarded_;
  net::grpc::Message answer_;
};

}  // namespace inferd::rpc

#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string_view>

#include "base/status.h"
#include "net/grpc/call_context.h"
#include "net/grpc/responder.h"
#include "protocols/rpc/surroundings.h"
#include "protocols/v2/access_record.h"
#include "serving/core/model/catalog.h"

namespace inferd::rpc {

// One call being answered: its responder, and what the access log will say about it. Move-only. Answer and Finish are
// loop-bound; a call may be carried to other threads in between.
class Call {
 public:
  Call(const Surroundings& surroundings, const net::grpc::CallContext& context, net::grpc::Responder responder);

  net::grpc::Responder& responder() { return responder_; }
  net::Loop& loop() const { return responder_.loop(); }

  // For the access log; nothing is kept where it is off.
  void SetModel(std::string_view model, std::string_view version);
  // The version that answers.
  void SetVersion(std::string_view version);
  void SetRequestId(std::string_view id);

  // The one response, and OK. `failure`: what it says, if that is one, for the access log.
  void Answer(net::grpc::Message&& message, const base::Status& failure = {});
  // The same later; for tests of clients.
  void AnswerAfter(std::chrono::milliseconds delay, net::grpc::Message&& message);
  // The call's end: an error, or that of a stream. Nothing of this object's owner is used once the client may learn it.
  // `retry_after_ms` > 0: when a retry may succeed, as google.rpc.RetryInfo, and for clients that retry by themselves
  // as grpc-retry-pushback-ms (gRFC A6).
  void Finish(const base::Status& status, int64_t retry_after_ms = 0);
  // For the access log of a call that nobody waits for any more: its deadline (0: none) has passed, or its client has
  // gone. What answers it later is not logged.
  void LogGone(int64_t deadline_ns);

 private:
  void LogAccess(base::StatusCode code, std::string_view error = {});

  base::Logger* logger_;
  const base::Clock* clock_;
  net::grpc::Responder responder_;
  std::unique_ptr<v2::AccessRecord> access_;  // null: the access log is off, or the line has been written
};

// Answers with `message`, or finishes with the error, when it is called; from whatever thread.
core::ControlCallback AnswerWhenDone(Call call, net::grpc::Message message = {});

}  // namespace inferd::rpc

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

// One call in progress: its responder, and its record for the access log. Move-only. Answer() and Finish() are
// loop-bound; the call may be moved to other threads in between.
class Call {
 public:
  Call(const Surroundings& surroundings, const net::grpc::CallContext& context, net::grpc::Responder responder);

  net::grpc::Responder& responder() { return responder_; }
  net::Loop& loop() const { return responder_.loop(); }

  // For the access log; keeps nothing if it is off.
  void SetModel(std::string_view model, std::string_view version);
  // Sets the version that answers.
  void SetVersion(std::string_view version);
  void SetRequestId(std::string_view id);

  // Sends the only response, with status OK. `failure` is the failure that the response contains, if any, for the
  // access log.
  void Answer(net::grpc::Message&& message, const base::Status& failure = {});
  // Does the same later; for tests of clients.
  void AnswerAfter(std::chrono::milliseconds delay, net::grpc::Message&& message);
  // Ends the call: with an error, or at the end of a stream. It uses nothing of its owner once the client may notice.
  // If `retry_after_ms` > 0, it is sent as google.rpc.RetryInfo, and as grpc-retry-pushback-ms for clients that retry
  // by themselves (gRFC A6).
  void Finish(const base::Status& status, int64_t retry_after_ms = 0);
  // Logs a call that nobody waits for any more: its deadline (0 for none) has passed, or its client has gone. A later
  // answer is not logged.
  void LogGone(int64_t deadline_ns);

 private:
  void LogAccess(base::StatusCode code, std::string_view error = {});

  base::Logger* logger_;
  const base::Clock* clock_;
  net::grpc::Responder responder_;
  std::unique_ptr<v2::AccessRecord> access_;  // null if the access log is off, or the line was written
};

// Returns a callback that answers with `message`, or finishes with the error. It may be called on any thread.
core::ControlCallback AnswerWhenDone(Call call, net::grpc::Message message = {});

}  // namespace inferd::rpc

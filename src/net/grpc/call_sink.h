#pragma once

#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "base/status.h"
#include "net/body/body.h"
#include "net/grpc/call_headers.h"
#include "net/grpc/handler.h"
#include "net/grpc/inbound/backlog.h"
#include "net/grpc/inbound/message_assembler.h"
#include "net/grpc/responder_state.h"
#include "net/grpc/service.h"
#include "net/http/http.h"

namespace inferd::net::grpc {

// A call's incoming side: makes messages of its bytes, hands them to the method in order, and keeps its deadline.
// Loop-bound; owned by the transport until the exchange is over.
//
// Nothing is handed over while the method has paused, or a message is decompressed on the pool. Messages that were cut
// by then wait; what comes behind them is kept as it came, which is no more than the client's window lets through.
class CallSink final : public RequestSink {
 public:
  CallSink(const Environment& environment, Method& method, const CallHeaders& headers,
           std::shared_ptr<Responder::State> state);
  ~CallSink() override;

  void Begin(BodyPool& bodies) override;
  std::span<std::byte> Space() override;
  void OnBody(std::span<const std::byte> bytes) override;
  void OnBodyEnd() override;
  void Open(HttpRequest request, Reply reply) override;
  void Proceed() override;
  bool AwaitsMore() const override;

  // The body is no good: the call ends so, once it may be answered.
  void Refuse(base::Status status) { Fail(std::move(status)); }

  // --- The outgoing side's.
  void PauseReading();
  void ResumeReading();
  void OnFinished();

 private:
  bool unary() const { return static_cast<bool>(method_.unary); }
  bool blocked() const { return paused_ || inflating_; }
  void SetDeadline();
  // The call ends so, once it may be answered.
  void Fail(base::Status status);
  bool failed() const { return failure_ != nullptr; }
  void Keep(std::span<const std::byte> bytes);

  void CallUnary();
  void Deliver();
  // The next message that has come; nullptr: there is none.
  WireMessage* Next();
  std::optional<WireMessage> Cut();
  // Whether `message` is plain by now; if not, it will be, or the call has failed.
  bool Inflate(WireMessage& message);
  void OnInflated(base::Result<base::BufferSlice> bytes);
  void PutInflated(WireMessage& message, base::Result<base::BufferSlice> bytes);
  void UpdateFlow();

  const Environment& environment_;
  Method& method_;
  const CallHeaders headers_;
  const std::shared_ptr<Responder::State> state_;
  CallContext context_;
  Loop::TimerId deadline_ = 0;
  BodyPool* bodies_ = nullptr;
  MessageAssembler assembler_;
  boost::container::small_vector<WireMessage, 1> messages_;
  size_t next_ = 0;                   // of messages_, to be handed over
  std::unique_ptr<Backlog> backlog_;  // behind messages_; nullptr: nothing
  std::unique_ptr<MessageReader> reader_;
  std::unique_ptr<const base::Status> failure_;  // how the call will end; nullptr: as the method says
  bool begun_ = false;                           // the method has been called
  bool half_closed_ = false;                     // the last byte has come
  bool told_ = false;                            // ... and the reader knows
  bool paused_ = false;
  bool inflating_ = false;
  bool stopped_ = false;  // the transport has been told
  bool delivering_ = false;
};

}  // namespace inferd::net::grpc

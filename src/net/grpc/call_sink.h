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

// The incoming side of a call: cuts its bytes into messages, passes them to the method in order, and enforces its
// deadline. Loop-bound. The transport owns it until the exchange is over.
//
// No message is passed on while the method has paused, or while a message is decompressed on the pool. Messages that
// are already cut wait. Bytes after them are kept uncut; the client's window limits their number.
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

  // Ends the call with this status, as soon as it may be answered, because its body is invalid.
  void Refuse(base::Status status) { Fail(std::move(status)); }

  // --- For the outgoing side.
  void PauseReading();
  void ResumeReading();
  void OnFinished();

 private:
  bool unary() const { return static_cast<bool>(method_.unary); }
  bool blocked() const { return paused_ || inflating_; }
  void SetDeadline();
  // Ends the call with this status, as soon as it may be answered.
  void Fail(base::Status status);
  bool failed() const { return failure_ != nullptr; }
  void Keep(std::span<const std::byte> bytes);

  void CallUnary();
  void Deliver();
  // Returns the next message that has arrived, or nullptr if there is none.
  WireMessage* Next();
  std::optional<WireMessage> Cut();
  // Decompresses `message`. Returns true if it is decompressed now. Returns false if it will be later, or if the call
  // failed.
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
  size_t next_ = 0;                   // index of the next message of messages_ to pass on
  std::unique_ptr<Backlog> backlog_;  // bytes after messages_; nullptr if none
  std::unique_ptr<MessageReader> reader_;
  std::unique_ptr<const base::Status> failure_;  // how the call will end; nullptr if the method decides
  bool begun_ = false;                           // the method has been called
  bool half_closed_ = false;                     // the last byte has arrived
  bool told_ = false;                            // ... and the reader has been told
  bool paused_ = false;
  bool inflating_ = false;
  bool stopped_ = false;  // the transport has been told
  bool delivering_ = false;
};

}  // namespace inferd::net::grpc

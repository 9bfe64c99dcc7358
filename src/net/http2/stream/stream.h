#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "net/body/body.h"
#include "net/http/http.h"
#include "net/http2/stream/body_flow.h"
#include "net/http2/stream/header_block.h"
#include "net/http2/stream/stream_context.h"
#include "net/http2/stream/stream_response.h"

namespace inferd::net::http2 {

// One request as it arrives, with its response. Loop-bound. Owned by its connection, from the request's HEADERS to the
// stream's end.
//
//   kHeaders --head--> kBody --last byte--> kWhole --Deliver()--> kDelivered
//       |                |                      (with a sink: Deliver() as often as something has come)
//       '----refused-----'--> kDiscarding   (answered already; what still comes is dropped)
class Stream {
 public:
  Stream(StreamContext& context, int32_t id, int64_t now_ns);
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  int64_t received_ns() const { return received_ns_; }
  StreamResponse& response() { return response_; }

  // --- Input, in nghttp2's order.
  void OnField(std::string_view name, std::string_view value);
  void OnHeadersEnd(bool end_stream);
  // Returns the space where the next bytes of the body may be read to before OnData(). Empty if there is none.
  std::span<std::byte> Space();
  // Returns true if the stream's window stays closed for these bytes until the stream calls Outbound::Consume().
  bool OnData(std::span<const std::byte> data, int64_t now_ns);
  void OnDataEnd();
  // Takes a request without a body that was read elsewhere (h2c upgrade).
  void Adopt(HttpRequest request);

  bool receiving() const { return state_ == State::kHeaders || takes_body(); }
  // True if the stream has something to deliver. Set together with Requests::Ready().
  bool ready() const { return ready_; }
  // Hands the complete request to the handler, or the new bytes to its sink.
  void Deliver();

  // Enforces the time limits on stalled requests and responses.
  void OnTick(int64_t now_ns);

 private:
  enum class State : uint8_t { kHeaders, kBody, kWhole, kDelivered, kDiscarding };

  // Answers for the transport, and drops the rest of the request.
  void Refuse(int status, std::string_view text);
  void Refuse(HttpResponse&& response);
  void StartBody(BodyPlan plan);
  void BecomeReady();
  void DeliverToSink();
  // True if the sink has the request, and has answered it.
  bool sink_answered() const { return opened_ && !response_.in_flight(); }
  bool takes_body() const { return state_ == State::kBody && !sink_answered(); }

  StreamContext& context_;
  const int32_t id_;
  State state_ = State::kHeaders;
  bool ready_ = false;   // in the connection's list of ready streams
  bool opened_ = false;  // the sink has the request
  int64_t received_ns_;
  HttpRequest request_;
  HeaderBlock fields_;  // builds request_'s head
  Body body_;
  std::unique_ptr<RequestSink> sink_;  // kept until the stream ends: it may be the caller
  BodyFlow flow_;
  StreamResponse response_;  // destroyed first: the peer is gone before the sink is
};

}  // namespace inferd::net::http2

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

// One request as it arrives, with its response. Loop-bound; owned by its connection, from the request's HEADERS to the
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

  // --- What arrives, in nghttp2's order.
  void OnField(std::string_view name, std::string_view value);
  void OnHeadersEnd(bool end_stream);
  // Where the next bytes of the body may be read to before OnData; empty: nowhere.
  std::span<std::byte> Space();
  // True: the stream's window stays shut by these bytes until the stream says Outbound::Consume.
  bool OnData(std::span<const std::byte> data, int64_t now_ns);
  void OnDataEnd();
  // A request without a body that was read elsewhere (h2c upgrade).
  void Adopt(HttpRequest request);

  bool receiving() const { return state_ == State::kHeaders || takes_body(); }
  // Whether there is something to deliver, as Requests::Ready was told.
  bool ready() const { return ready_; }
  // Hands the whole request to the handler, or what has come to its sink.
  void Deliver();

  // Enforces the time limits of what is stuck.
  void OnTick(int64_t now_ns);

 private:
  enum class State : uint8_t { kHeaders, kBody, kWhole, kDelivered, kDiscarding };

  // Answers for the transport, and drops what else arrives.
  void Refuse(int status, std::string_view text);
  void Refuse(HttpResponse&& response);
  void StartBody(BodyPlan plan);
  void BecomeReady();
  void DeliverToSink();
  // The sink has the request, and has answered it.
  bool sink_answered() const { return opened_ && !response_.in_flight(); }
  bool takes_body() const { return state_ == State::kBody && !sink_answered(); }

  StreamContext& context_;
  const int32_t id_;
  State state_ = State::kHeaders;
  bool ready_ = false;   // in the connection's list
  bool opened_ = false;  // the sink has the request
  int64_t received_ns_;
  HttpRequest request_;
  HeaderBlock fields_;  // makes request_'s head
  Body body_;
  std::unique_ptr<RequestSink> sink_;  // kept to the stream's end: it may be what answers just now
  BodyFlow flow_;
  StreamResponse response_;  // destroyed first: the peer is gone before the sink is
};

}  // namespace inferd::net::http2

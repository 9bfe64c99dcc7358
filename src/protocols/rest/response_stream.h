#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>

#include "base/status.h"
#include "net/http/http.h"
#include "protocols/call/arrived_responses.h"
#include "protocols/rest/event_form.h"
#include "serving/core/request/infer_response.h"
#include "serving/core/request/response_flow.h"

namespace inferd::rest {

class InferCall;

// Streams the responses of one inference to its client as they come, each as one event. It takes over the call when
// that is dispatched. Loop-bound except Receive(). Shared by the functions that take its next step.
//
// The response begins with the first event. If that is a failure and the only response, the call fails like one with a
// single response, except with Options::failures_are_events. Otherwise a failure is an event, {"error": text}, and
// later responses follow; the first response determines the HTTP status. An empty last response is not shown if the
// model may give any number. A model that gives many responses must pause while the client does not read them
// (core::ResponseFlow); if it does not, the stream ends. When the client goes, the request is cancelled, and its
// responses are dropped.
class ResponseStream final : public std::enable_shared_from_this<ResponseStream> {
 public:
  // `flow` is the request's.
  ResponseStream(std::unique_ptr<InferCall> call, EventForm form, std::shared_ptr<core::ResponseFlow> flow);

  // Call before the request is executed.
  void Open();
  // Receives a response, on any thread, one after the other.
  void Receive(core::InferResponse&& response);

 private:
  using Received = call::ArrivedResponse;

  void OnResponse(Received received);
  // Processes waiting responses, as far as the client reads them.
  void Advance();
  void Take(Received received);
  void EncodeElsewhere(Received received);
  void Send(base::Result<net::HttpResponse> event, bool final);
  void Begin(net::HttpResponse&& head);
  void AddEvent(decltype(net::HttpResponse::body) data);
  // Passes the transport the events that were collected in one turn of the loop.
  void Flush();
  void Write(base::BufferSlice piece);
  // Ends the call: with a response or, if that has begun or if `as_event`, with a last event.
  void Fail(base::Status status, bool as_event = false);
  void End(const base::Status& status);
  void OnPeerGone();

  net::Loop& loop_;
  const EventForm form_;
  const std::shared_ptr<core::ResponseFlow> flow_;
  std::shared_ptr<InferCall> call_;  // null when it is over
  call::ArrivedResponses arrived_;
  std::deque<Received> waiting_;
  std::string text_;  // of events, until the next Flush
  int status_ = 0;    // of the response, once it has begun
  bool started_ = false;
  bool writable_ = true;
  bool encoding_ = false;  // an event is being encoded on the pool
  // One response went through the loop's queue, and others must not overtake it; for the callback
  bool posted_ = false;
};

}  // namespace inferd::rest

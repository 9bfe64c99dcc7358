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

// The responses of one inference, sent to its client as they come, each as one event. It takes the call over when that
// is dispatched. Loop-bound but for Receive; shared by the functions that take its next step.
//
// The answer begins with the first response. If that is a failure and the only response, the call fails as one with a
// single answer does. Else a failure is an event, {"error": text}, and the responses behind it follow; the first gives
// the answer its HTTP status. A last response that carries nothing is not shown, where the model may give any number of
// them. A model that gives many is told to hold while the client does not take them (core::ResponseFlow); the stream of
// one that does not hold ends. When the client goes, the request is cancelled, and what comes of it finds nobody.
class ResponseStream final : public std::enable_shared_from_this<ResponseStream> {
 public:
  // `flow` is the request's.
  ResponseStream(std::unique_ptr<InferCall> call, EventForm form, std::shared_ptr<core::ResponseFlow> flow);

  // Before the request is executed.
  void Open();
  // A response, on any thread, one after the other.
  void Receive(core::InferResponse&& response);

 private:
  using Received = call::ArrivedResponse;

  void OnResponse(Received received);
  // Takes what waits, as far as the client takes it.
  void Advance();
  void Take(Received received);
  void EncodeElsewhere(Received received);
  void Send(base::Result<net::HttpResponse> event, bool final);
  void Begin(net::HttpResponse&& head);
  void AddEvent(decltype(net::HttpResponse::body) data);
  // Gives the transport the events that have come together in one turn of the loop.
  void Flush();
  void Write(base::BufferSlice piece);
  // The call's end: as its answer, or, where that has begun, as the last event.
  void Fail(base::Status status);
  void End(const base::Status& status);
  void OnPeerGone();

  net::Loop& loop_;
  const EventForm form_;
  const std::shared_ptr<core::ResponseFlow> flow_;
  std::shared_ptr<InferCall> call_;  // null: it is over
  call::ArrivedResponses arrived_;
  std::deque<Received> waiting_;
  std::string text_;  // of events, until the next Flush
  bool started_ = false;
  bool writable_ = true;
  bool encoding_ = false;  // an event, on the pool
  bool posted_ = false;    // one has gone by way of the loop's queue: the others must not overtake it; the callback's
};

}  // namespace inferd::rest

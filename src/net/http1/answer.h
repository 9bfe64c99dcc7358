#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "net/http/exchange.h"
#include "net/http/session.h"
#include "net/http1/output_queue.h"
#include "net/http1/request_reader.h"
#include "net/http1/response_head.h"

namespace inferd::net::http1 {

class Session;

// The response to the request that is read or executed, by its handler or, where that is not asked, by the transport;
// and whether the connection goes on behind it. One after the other, on `session`'s connection; the session is told of
// each that is whole. Loop-bound.
class Answer final : public Exchange {
 public:
  Answer(SessionHost& host, Session& session, const RequestReader& requests)
      : Exchange(host.replies()), host_(host), session_(session), requests_(requests) {}

  // What the response has to know of its request; forgotten with it.
  void BeginRequest(const RequestHead& head, const Framing& framing);
  void TakePlan(BodyPlan& plan);
  // ... of one whose head cannot be trusted.
  void BeginRefused(const RequestHead& head) { request_id_ = head.request_id; }
  // The peer may send its body.
  void Continue();

  // Exchange, for the Reply.
  void Send(HttpResponse&& response) override;
  void Start(HttpResponse&& response) override;
  bool Write(base::BufferSlice piece) override;
  void End(Trailers trailers) override;
  void OnWritable(base::Task task) override;
  void OnPeerGone(base::Task task) override;
  void PauseBody() override {}  // the body is whole before it is handed over
  void ResumeBody() override {}
  void TellPeerGone() override;
  void Abandon() override;
  // The framing cannot be trusted, or the rest is not wanted: answers and closes.
  void Refuse(int status, std::string_view message);

  // No Reply finds it any more, and its request is in flight no longer.
  void Release();
  // The peer has finished sending, and is taken for gone.
  void OnEof();
  // The connection is gone. Returns what OnPeerGone was given, to be run.
  base::Task OnClosed();
  // False: there is still enough to write.
  bool OnWritten(size_t bytes);

  // The next response is the last, unless another request is here already.
  void AnnounceLast() { announced_ = true; }
  // Whether no request can follow this one. While draining, what the peer has pipelined was sent before it could know.
  bool last() const {
    return (announced_ && !requests_.HasNext()) ||
           (requests_.eof() && (!host_.limits().keep_half_closed || requests_.input().empty()));
  }
  bool above_high_water() const { return output_.bytes() > host_.limits().write_high_water; }
  OutputQueue& output() { return output_; }
  const OutputQueue& output() const { return output_; }

 private:
  void PushHead(const HttpResponse& response, ResponseFraming framing);
  void Finish(int status, bool close);

  SessionHost& host_;
  Session& session_;
  const RequestReader& requests_;

  // The request's.
  bool head_only_ = false;  // HEAD
  bool http10_ = false;
  bool keep_alive_ = true;
  std::string request_id_;  // RequestHead::request_id
  std::shared_ptr<const HeaderList> answer_headers_;
  RefusalForm refusal_form_ = nullptr;  // BodyPlan's

  bool streaming_ = false;
  bool chunking_ = false;
  std::optional<uint64_t> owed_;  // of a body in pieces whose length was sent
  bool close_after_ = false;
  int streamed_status_ = 0;
  base::Task on_peer_gone_;
  base::Task on_writable_;

  OutputQueue output_;
  ResponseHeadWriter heads_;
  std::string scratch_;
  bool announced_ = false;
};

}  // namespace inferd::net::http1

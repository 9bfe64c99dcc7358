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

// Sends the responses on `session`'s connection, one after the other: by the handler or, if it is not asked, by the
// transport. Decides whether the connection continues after a response. Tells the session when a response is complete.
// Loop-bound.
class Answer final : public Exchange {
 public:
  Answer(SessionHost& host, Session& session, const RequestReader& requests)
      : Exchange(host.replies()), host_(host), session_(session), requests_(requests) {}

  // Keeps what the response needs to know of its request, until the request's end.
  void BeginRequest(const RequestHead& head, const Framing& framing);
  void TakePlan(BodyPlan& plan);
  // The same for a request whose head cannot be trusted.
  void BeginRefused(const RequestHead& head) { request_id_ = head.request_id; }
  // Sends "100 Continue": the peer may send its body.
  void Continue();

  // Exchange, for the Reply.
  void Send(HttpResponse&& response) override;
  void Start(HttpResponse&& response) override;
  bool Write(base::BufferSlice piece) override;
  void End(Trailers trailers) override;
  void OnWritable(base::Task task) override;
  void OnPeerGone(base::Task task) override;
  void PauseBody() override {}  // the body is complete before it is handed over
  void ResumeBody() override {}
  void TellPeerGone() override;
  void Abandon() override;
  // Answers and closes the connection, because the framing cannot be trusted or the rest is not wanted.
  void Refuse(int status, std::string_view message);

  // Detaches the Reply, and counts its request as finished.
  void Release();
  // The peer has finished sending, and is considered gone.
  void OnEof();
  // The connection is gone. Returns the task that OnPeerGone() was given; the caller must run it.
  base::Task OnClosed();
  // Returns false if there is still enough to write.
  bool OnWritten(size_t bytes);

  // Makes the next response the last, unless another request has already arrived.
  void AnnounceLast() { announced_ = true; }
  // Returns true if this is the connection's last response. While draining, requests that are already pipelined are
  // still answered.
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

  // State of the request.
  bool head_only_ = false;  // HEAD
  bool http10_ = false;
  bool keep_alive_ = true;
  std::string request_id_;  // RequestHead::request_id
  std::shared_ptr<const HeaderList> answer_headers_;
  RefusalForm refusal_form_ = nullptr;  // BodyPlan's

  bool streaming_ = false;
  bool chunking_ = false;
  std::optional<uint64_t> owed_;  // bytes missing of a streamed body whose length was sent
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

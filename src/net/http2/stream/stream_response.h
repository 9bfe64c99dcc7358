#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/executor.h"
#include "net/http/exchange.h"
#include "net/http/http.h"
#include "net/http2/stream/body_flow.h"
#include "net/http2/stream/piece_queue.h"
#include "net/http2/stream/stream_context.h"

namespace inferd::net::http2 {

// The response of one stream: the Reply's calls, and the output. Loop-bound; owned by its stream.
//
//   kNothing --Start--> kOpen --End--> kEnded;  kNothing --Send--> kEnded
class StreamResponse final : public Exchange {
 public:
  // `flow` is the stream's, and must outlive this object.
  StreamResponse(StreamContext& context, int32_t id, BodyFlow& flow);
  // If the request is in flight, its peer has gone.
  ~StreamResponse() override;

  // --- The request's influence on its response, before there is one.
  void TakeHead(const RequestHead& head);
  void TakePlan(BodyPlan& plan);
  // Returns the Reply for the handler that gets the request.
  Reply BeginRequest();
  // True if the request was handed over, and neither answered nor abandoned by its peer.
  bool in_flight() const { return in_flight_; }

  // Returns the transport's response in the handler's place.
  HttpResponse Refusal(int status, std::string_view text) const;
  // Sends the response, or breaks off a started one. Calls on the Reply do nothing from now on.
  void Refuse(HttpResponse&& response);

  // --- The Reply's calls.
  void Send(HttpResponse&& response) override;
  void Start(HttpResponse&& response) override;
  bool Write(base::BufferSlice piece) override;
  void End(Trailers trailers) override;
  void OnWritable(base::Task task) override;
  void OnPeerGone(base::Task task) override { peer_gone_ = std::move(task); }
  void PauseBody() override { flow_.Pause(); }
  void ResumeBody() override { flow_.Resume(); }
  // The peer will not read the response, or another Reply gives it: posts the task of OnPeerGone().
  void TellPeerGone() override;
  void Abandon() override;

  // --- Output.
  // Returns how many of the next `bytes_max` bytes can be sent, or -1 if none can yet. Sets `ends` if they are the
  // last.
  int64_t ReadyBytes(size_t bytes_max, bool& ends);
  const Trailers& trailers() const { return trailers_; }
  void TakeBody(size_t bytes, SliceWriter& writer, std::vector<base::BufferSlice>& out, int64_t now_ns);
  uint64_t queued_bytes() const { return queue_.bytes(); }
  // True if the last frame of the response was taken.
  bool answered() const { return state_ == State::kEnded && queue_.bytes() == 0; }

 private:
  enum class State : uint8_t { kNothing, kOpen, kEnded };

  void Respond(HttpResponse&& response, bool whole);
  void Queue(base::BufferSlice piece);
  void CountQueued(int64_t bytes);
  // Ends the request's accounting. Later calls on its Reply do nothing.
  void Forget();

  StreamContext& context_;
  BodyFlow& flow_;
  const int32_t id_;
  State state_ = State::kNothing;
  bool in_flight_ = false;
  bool no_body_ = false;    // HEAD, 204, 304
  bool streamed_ = false;   // the response is streamed
  bool stalled_ = false;    // nghttp2 waits for more of the body
  std::string request_id_;  // RequestHead::request_id
  std::shared_ptr<const HeaderList> answer_headers_;
  RefusalForm refusal_form_ = nullptr;  // BodyPlan's
  PieceQueue queue_;
  Trailers trailers_;
  base::Task writable_;
  base::Task peer_gone_;
};

}  // namespace inferd::net::http2

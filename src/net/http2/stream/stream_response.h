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

// The response of one stream: what the Reply asks for, and what leaves. Loop-bound; owned by its stream.
//
//   kNothing --Start--> kOpen --End--> kEnded;  kNothing --Send--> kEnded
class StreamResponse final : public Exchange {
 public:
  // `flow`: the stream's, outlives this object.
  StreamResponse(StreamContext& context, int32_t id, BodyFlow& flow);
  // The peer has gone, if the request is in flight.
  ~StreamResponse() override;

  // --- What the request says of its response, before there is one.
  void TakeHead(const RequestHead& head);
  void TakePlan(BodyPlan& plan);
  // The request goes to its handler, with this Reply.
  Reply BeginRequest();
  // Neither answered nor gone since then.
  bool in_flight() const { return in_flight_; }

  // What the transport answers in the handler's place.
  HttpResponse Refusal(int status, std::string_view text) const;
  // Answers so, or breaks off what was begun; the Reply finds nothing from now on.
  void Refuse(HttpResponse&& response);

  // --- What the Reply asks for.
  void Send(HttpResponse&& response) override;
  void Start(HttpResponse&& response) override;
  bool Write(base::BufferSlice piece) override;
  void End(Trailers trailers) override;
  void OnWritable(base::Task task) override;
  void OnPeerGone(base::Task task) override { peer_gone_ = std::move(task); }
  void PauseBody() override { flow_.Pause(); }
  void ResumeBody() override { flow_.Resume(); }
  // The peer will not read the answer, or another gives it: runs what OnPeerGone was given, later.
  void TellPeerGone() override;
  void Abandon() override;

  // --- What leaves.
  // How many of the next `bytes_max` bytes can be sent; `ends`: they are the last. -1: none for now.
  int64_t ReadyBytes(size_t bytes_max, bool& ends);
  const Trailers& trailers() const { return trailers_; }
  void TakeBody(size_t bytes, SliceWriter& writer, std::vector<base::BufferSlice>& out, int64_t now_ns);
  uint64_t queued_bytes() const { return queue_.bytes(); }
  // The last frame of the response has been taken.
  bool answered() const { return state_ == State::kEnded && queue_.bytes() == 0; }

 private:
  enum class State : uint8_t { kNothing, kOpen, kEnded };

  void Respond(HttpResponse&& response, bool whole);
  void Queue(base::BufferSlice piece);
  void CountQueued(int64_t bytes);
  // Takes the request off the books; answers to it from now on do nothing.
  void Forget();

  StreamContext& context_;
  BodyFlow& flow_;
  const int32_t id_;
  State state_ = State::kNothing;
  bool in_flight_ = false;
  bool no_body_ = false;    // HEAD, 204, 304
  bool streamed_ = false;   // it comes in pieces
  bool stalled_ = false;    // nghttp2 was told to wait for more of the body
  std::string request_id_;  // RequestHead::request_id
  std::shared_ptr<const HeaderList> answer_headers_;
  RefusalForm refusal_form_ = nullptr;  // BodyPlan's
  PieceQueue queue_;
  Trailers trailers_;
  base::Task writable_;
  base::Task peer_gone_;
};

}  // namespace inferd::net::http2

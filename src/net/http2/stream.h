#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/executor.h"
#include "net/body/body.h"
#include "net/http/exchange.h"
#include "net/http/http.h"
#include "net/http2/header_block.h"
#include "net/http2/piece_queue.h"

namespace inferd::net::http2 {

class Connection;

// One request and its response. Loop-bound; owned by its connection, from the request's HEADERS to the stream's end.
//
//   receiving:  kHeaders --head--> kBody --last byte--> kWhole --Deliver()--> kDelivered
//                   |                |                      (with a sink: Deliver() as often as something has come)
//                   '----refused-----'--> kDiscarding   (answered already; what still comes is dropped)
//   responding: kNothing --Start--> kOpen --End--> kEnded;  kNothing --Send--> kEnded
class Stream final : public Exchange {
 public:
  Stream(Connection& connection, int32_t id, int64_t now_ns);
  ~Stream() override;

  int32_t id() const { return id_; }
  int64_t received_ns() const { return received_ns_; }
  const std::string& request_id() const { return request_id_; }
  // What the answer has besides its own headers; null: nothing.
  const HeaderList* answer_headers() const { return answer_headers_.get(); }

  // --- What arrives, in nghttp2's order.
  void OnField(std::string_view name, std::string_view value);
  void OnHeadersEnd(bool end_stream);
  // Where the next bytes of the body may be read to before OnData; empty: nowhere.
  std::span<std::byte> Space();
  // True: the stream's window stays shut by these bytes until the stream says Connection::Consume.
  bool OnData(std::span<const std::byte> data, int64_t now_ns);
  void OnDataEnd();
  // A request without a body that was read elsewhere (h2c upgrade).
  void Adopt(HttpRequest request);

  bool receiving() const { return receiving_ == Receiving::kHeaders || receiving_ == Receiving::kBody; }
  // Whether there is something to deliver, as Connection::Ready was told.
  bool ready() const { return ready_; }
  // Hands the whole request to the handler, or what has come to its sink.
  void Deliver();

  // --- What the Reply asks for.
  void Send(HttpResponse&& response) override;
  void Start(HttpResponse&& response) override;
  bool Write(base::BufferSlice piece) override;
  void End(Trailers trailers) override;
  void OnWritable(base::Task task) override;
  void OnPeerGone(base::Task task) override;
  void PauseBody() override;
  void ResumeBody() override;
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
  bool answered() const { return responding_ == Responding::kEnded && queue_.bytes() == 0; }

  // Takes the request off the books; answers to it from now on do nothing.
  void Forget();
  // Enforces the time limits of what is stuck.
  void OnTick(int64_t now_ns);

 private:
  enum class Receiving : uint8_t { kHeaders, kBody, kWhole, kDelivered, kDiscarding };
  enum class Responding : uint8_t { kNothing, kOpen, kEnded };

  // Answers for the transport, and drops what else arrives.
  void Refuse(int status, std::string_view text);
  void Refuse(HttpResponse&& response);
  void Respond(HttpResponse&& response, bool whole);
  void StartBody(BodyPlan plan);
  void BecomeReady();
  void DeliverToSink();
  void OpenWindow();
  void Queue(base::BufferSlice piece);
  void CountQueued(int64_t bytes);

  Connection& connection_;
  const int32_t id_;
  Receiving receiving_ = Receiving::kHeaders;
  Responding responding_ = Responding::kNothing;
  bool ready_ = false;      // in the connection's list
  bool opened_ = false;     // the sink has the request
  bool paused_ = false;     // the sink takes no more for now
  bool in_flight_ = false;  // delivered, and neither answered nor gone
  bool no_body_ = false;    // HEAD, 204, 304
  bool streamed_ = false;   // the response comes in pieces
  bool stalled_ = false;    // nghttp2 was told to wait for more of the body
  int64_t received_ns_;
  int64_t progress_ns_;  // when a body byte last moved, in or out
  HttpRequest request_;
  std::string request_id_;  // RequestHead::request_id
  std::shared_ptr<const HeaderList> answer_headers_;
  RefusalForm refusal_form_ = nullptr;  // BodyPlan's
  HeaderBlock fields_;                  // makes request_'s head
  Body body_;
  std::unique_ptr<RequestSink> sink_;  // kept to the stream's end: it may be what answers just now
  size_t unconsumed_ = 0;              // bytes given to the sink by which the stream's window is still shut
  PieceQueue queue_;
  Trailers trailers_;
  base::Task writable_;
  base::Task peer_gone_;
};

}  // namespace inferd::net::http2

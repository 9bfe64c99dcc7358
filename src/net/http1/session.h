#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "net/body/body.h"
#include "net/http/session.h"
#include "net/http1/chunk_decoder.h"
#include "net/http1/head_parser.h"
#include "net/http1/output_queue.h"
#include "net/http1/response_head.h"

namespace inferd::net::http1 {

// Takes over a connection that turns out to speak HTTP/2. The session that hands over does nothing afterwards.
class Successor {
 public:
  // HTTP/2's preface stands where a request should begin; `bytes` starts with it.
  virtual void OnHttp2Preface(std::span<const std::byte> bytes) = 0;
  // "Upgrade: h2c" on `request`, which then becomes stream 1; `bytes` is what follows it. False: `request` is
  // untouched, and HTTP/1.1 goes on.
  virtual bool OnHttp2Upgrade(std::string_view settings, HttpRequest& request, std::span<const std::byte> bytes) = 0;

 protected:
  ~Successor() = default;
};

// HTTP/1.1 and 1.0 on one connection (RFC 9110, 9112). Requests are executed one at a time; pipelined ones wait in the
// input, whose size is limited. The host may not destroy the session inside a call to it.
//
//              +--------------- response made -----------------+
//              v                                               |
//   kHead --head--> kBody | kChunkedBody --whole body--> kExecuting
//     |                |
//     |             refused --> kDraining --rest of the body--> kHead
//     +--error, close, upgrade--> kFinished (what comes is ignored)
class Session final : public net::Session, public Exchange {
 public:
  // `successor` nullptr: HTTP/2 is not spoken here.
  Session(SessionHost& host, Successor* successor);
  ~Session() override;

  std::span<std::byte> PrepareRead() override;
  void OnRead(size_t bytes) override;
  void OnEof() override;
  void OnClosed() override;
  size_t TakeOutput(std::vector<base::BufferSlice>& out, size_t bytes_max) override;
  void OnWritten(size_t bytes) override;
  void AnnounceDrain() override { announced_ = true; }
  void BeginDrain() override { announced_ = draining_ = true; }
  bool idle() const override;
  size_t in_flight() const override { return open() ? 1 : 0; }
  void OnTick(int64_t now_ns) override;

 private:
  enum class State { kHead, kBody, kChunkedBody, kDraining, kExecuting, kFinished };

  // A refused body up to this size is read and dropped, so that the connection stays usable.
  static constexpr uint64_t kDrainBytesMax = 256 * 1024;

  // Measured by ticks alone: the first one after Restart starts it.
  struct Stopwatch {
    void Restart() { since_ns = 0; }
    bool Passed(int64_t now_ns, std::chrono::milliseconds limit);
    int64_t since_ns = 0;
  };

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

  // Reading.
  static std::span<const std::byte> Bytes(std::string_view text) { return std::as_bytes(std::span(text)); }
  std::string_view input() const;
  void Skip(size_t bytes);
  void Advance();
  bool ReadHead();
  bool AtHttp2Preface();
  void OnHead(std::string_view text);
  void BeginBody();
  bool ReadBody();
  bool ReadChunkedBody();
  bool Drain();
  bool OnFill(Body::Fill fill);
  void Execute();
  void ExecuteSink();
  bool Upgrade();
  void UpdateReading();
  bool above_high_water() const { return output_.bytes() > host_.limits().write_high_water; }

  // Answering.
  // Whether no request can follow this one. While draining, what the peer has pipelined was sent before it could know.
  bool last() const {
    return (announced_ && !HasNext()) || (eof_ && (!host_.limits().keep_half_closed || input().empty()));
  }
  // Whether another request has begun to arrive; empty lines before it are none (RFC 9112, 2.2).
  bool HasNext() const { return input().find_first_not_of("\r\n") != std::string_view::npos; }
  void Refuse(int status, std::string_view message);
  void RefuseBody(HttpResponse response);
  void PushHead(const HttpResponse& response, ResponseFraming framing);
  void FinishResponse(int status, bool close);
  void Finish();
  void EndRequest();

  SessionHost& host_;
  Successor* const successor_;
  State state_ = State::kHead;

  std::unique_ptr<std::byte[]> input_;
  size_t input_capacity_ = 0;
  size_t input_begin_ = 0;
  size_t input_end_ = 0;
  HeadScanner scanner_;
  ChunkDecoder chunks_;
  uint64_t drain_left_ = 0;

  // The request that is being read or executed.
  HttpRequest request_;  // moved from as soon as it is executed
  Framing framing_;
  Body body_;
  std::unique_ptr<RequestSink> sink_;
  bool head_only_ = false;  // HEAD
  bool reading_into_body_ = false;

  // Its response.
  std::string request_id_;  // RequestHead::request_id
  std::shared_ptr<const HeaderList> answer_headers_;
  RefusalForm refusal_form_ = nullptr;  // BodyPlan's
  bool streaming_ = false;
  bool chunking_ = false;
  bool close_after_ = false;
  int streamed_status_ = 0;
  base::Task on_peer_gone_;
  base::Task on_writable_;

  OutputQueue output_;
  ResponseHeadWriter heads_;
  std::string scratch_;

  bool advancing_ = false;
  bool eof_ = false;
  bool announced_ = false;  // the next response is the last, unless another request is here already
  bool draining_ = false;   // and the connection need not wait for one
  bool reading_paused_ = false;
  Stopwatch reading_clock_;  // since the wait for a head, its first byte, or the body's last progress
  Stopwatch writing_clock_;  // since the last byte was written
};

}  // namespace inferd::net::http1

#pragma once

#include <nghttp2/nghttp2.h>

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "net/http/session.h"
#include "net/http2/keepalive.h"
#include "net/http2/stream.h"
#include "net/http2/token_bucket.h"

namespace inferd::net::http2 {

// One HTTP/2 connection: nghttp2 without its I/O, and the streams. Loop-bound.
//
// nghttp2 parses, keeps the windows and orders what is sent. Requests are handed to the handler after each read, not
// from inside nghttp2's callbacks. The rest of a large DATA frame is read to where the stream wants it, and nghttp2
// finds it there, so that a tensor is not copied on its way. A request's bytes are taken off the windows when they are
// in its body, which the memory budget has been charged for; a sink's, when the sink has come to them. While more than
// the write high-water mark of whole responses waits for the peer's windows, nothing further is delivered; frames are
// still read, since the windows open by them.
//
// Refused with GOAWAY ENHANCE_YOUR_CALM: streams reset as soon as they begin (by the peer, or by what it sends),
// control frames and empty frames in numbers, more CONTINUATIONs than a header block within the limit needs.
class Connection final : public Session {
 public:
  explicit Connection(SessionHost& host);
  ~Connection() override;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // h2c: `settings` is the decoded SETTINGS payload. False: it is none; the connection is of no use then.
  bool Upgrade(std::string_view settings, bool head_request);
  // Gives stream 1 its request.
  void AdoptUpgraded(HttpRequest request);

  std::span<std::byte> PrepareRead() override;
  void OnRead(size_t bytes) override;
  void OnEof() override;
  void OnClosed() override;
  size_t TakeOutput(std::vector<base::BufferSlice>& out, size_t bytes_max) override;
  void OnWritten(size_t bytes) override;
  void AnnounceDrain() override { announced_ = true; }
  void BeginDrain() override;
  bool idle() const override { return streams_.empty() && unwritten_ == 0; }
  size_t in_flight() const override { return in_flight_; }
  void OnTick(int64_t now_ns) override;

  // --- For the streams.
  SessionHost& host() const { return host_; }
  int64_t now_ns() const { return now_ns_; }
  void Ready(int32_t id) { ready_.push_back(id); }
  // A request's head has come.
  void NoteHead(const RequestHead& head);
  void BeginRequest();
  void EndRequest();
  void AddQueued(int64_t bytes) { queued_bytes_ += bytes; }
  void SubmitContinue(int32_t id);
  void SubmitResponse(Stream& stream, const HttpResponse& response, std::optional<uint64_t> content_length,
                      bool has_body);
  // Behind the body, in the middle of a write.
  void SubmitTrailers(const Stream& stream);
  void Resume(int32_t id);
  // Opens the stream's window by bytes that its OnData has kept.
  void Consume(int32_t id, size_t bytes);
  void Reset(int32_t id, uint32_t error_code);

 private:
  friend struct Callbacks;  // what nghttp2 calls

  // Where the rest of a large DATA frame belongs.
  std::span<std::byte> FrameSpace();

  // --- From nghttp2, in the middle of a read or a write.
  int OnBeginFrame(const nghttp2_frame_hd& frame);
  int OnBeginHeaders(const nghttp2_frame& frame);
  void OnFrame(const nghttp2_frame& frame);
  void OnPing(const nghttp2_frame& frame);
  void OnFrameSent(const nghttp2_frame& frame);
  void OnStreamClosed(int32_t id, uint32_t error_code);
  int OnData(int32_t id, std::span<const std::byte> data);
  ssize_t ReadBody(int32_t id, size_t bytes_max, uint32_t& flags);
  int SendData(int32_t id, const nghttp2_frame& frame, const uint8_t* header, size_t bytes);

  Stream* Find(int32_t id);
  void DeliverReady();
  // Asks the host to write, or to close when nothing is left to say.
  void Settle();
  // Ends a connection whose peer does what it must not: GOAWAY, then close. With words for it, what waits is written.
  void Terminate(uint32_t error_code);
  void TerminateSaying(uint32_t error_code, std::string_view why);
  void EnforceLifetime();
  // The same where nghttp2 itself has given up and can send nothing more.
  void Fail(int nghttp2_error);
  void EnforceDrain();
  void SubmitNotice();
  void SubmitDrainPing();
  bool MayEnd() const;
  void SubmitFinalGoaway();
  std::string_view Date();

  SessionHost& host_;
  nghttp2_session* session_ = nullptr;
  Stream* heading_ = nullptr;            // whose header block is arriving
  const std::byte* inbox_ = nullptr;     // from PrepareRead to OnRead
  const std::byte* data_end_ = nullptr;  // of what OnData had last
  int32_t frame_stream_ = 0;             // of the frame that is being read
  size_t frame_left_ = 0;                // what is to come of its payload; 0: that is not known to be all data
  boost::unordered_flat_map<int32_t, std::unique_ptr<Stream>> streams_;
  std::deque<int32_t> ready_;                      // streams with something to deliver
  std::vector<base::BufferSlice>* out_ = nullptr;  // during TakeOutput
  size_t out_room_ = 0;
  size_t data_taken_ = 0;   // by SendData
  std::string last_words_;  // the hand-made GOAWAY of Fail
  size_t unwritten_ = 0;    // taken by the host, not yet written
  int64_t queued_bytes_ = 0;
  size_t in_flight_ = 0;
  int64_t now_ns_;
  int64_t began_ns_;
  int64_t active_ns_;
  int64_t written_ns_;
  int64_t tick_ns_;
  int64_t ending_ns_ = 0;         // since BeginDrain; 0: it has not been called
  int64_t drain_ns_ = 0;          // since the notice
  int64_t headers_since_ns_ = 0;  // 0: no header block is incomplete
  TokenBucket control_frames_;
  TokenBucket resets_;
  Keepalive keepalive_;
  Age age_;
  bool greeted_ = false;  // the peer's preface and SETTINGS have come
  bool grpc_ = false;     // a gRPC request has come
  bool eof_ = false;
  bool failed_ = false;
  bool announced_ = false;  // to be told behind the next response that leaves no stream open
  bool draining_ = false;   // the notice is out
  bool ping_due_ = false;   // behind it, after Limits::drain_idle
  bool final_goaway_ = false;
  bool dismissed_ = false;  // the peer has been told why, and is not read any more
  bool closing_ = false;
  int64_t date_s_ = 0;
  std::string date_;
};

}  // namespace inferd::net::http2

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "net/http/session.h"
#include "net/http1/answer.h"
#include "net/http1/request_reader.h"
#include "net/http1/stopwatch.h"

namespace inferd::net::http1 {

// Takes over a connection that speaks HTTP/2. The session that hands it over does nothing afterwards.
class Successor {
 public:
  // HTTP/2's preface came in place of a request. `bytes` starts with it.
  virtual void OnHttp2Preface(std::span<const std::byte> bytes) = 0;
  // `request` asked for "Upgrade: h2c", and becomes stream 1; `bytes` follow it. Returns false if HTTP/1.1 continues;
  // `request` is then unchanged.
  virtual bool OnHttp2Upgrade(std::string_view settings, HttpRequest& request, std::span<const std::byte> bytes) = 0;

 protected:
  ~Successor() = default;
};

// HTTP/1.1 and 1.0 on one connection (RFC 9110, 9112). Passes requests to the handler, and its responses to the peer.
// Executes one request at a time; pipelined requests wait in the input, whose size is limited. The host must not
// destroy the session inside a call to it.
class Session final : public net::Session {
 public:
  // If `successor` is nullptr, HTTP/2 is not supported here.
  Session(SessionHost& host, Successor* successor);
  ~Session() override;

  std::span<std::byte> PrepareRead() override { return requests_.Space(); }
  void OnRead(size_t bytes) override;
  void OnEof() override;
  void OnClosed() override;
  size_t TakeOutput(std::vector<base::BufferSlice>& out, size_t bytes_max) override;
  void OnWritten(size_t bytes) override;
  void AnnounceDrain() override { answer_.AnnounceLast(); }
  void BeginDrain() override;
  bool idle() const override;
  size_t in_flight() const override { return answer_.open() ? 1 : 0; }
  void OnTick(int64_t now_ns) override;

  // For Answer: the response is complete. If `close`, the connection ends after it.
  void OnAnswered(bool close);
  // Pauses reading if there is too much to write, or to read.
  void UpdateReading();

 private:
  void Advance();
  void OnHead();
  void RefuseRequest();
  void RefuseBody(HttpResponse response);
  void Execute();
  void ExecuteSink();
  bool Upgrade();
  void OnIdleTick(int64_t now_ns);
  void Finish();

  SessionHost& host_;
  Successor* const successor_;
  RequestReader requests_;
  std::unique_ptr<RequestSink> sink_;  // of the request that is being read or executed
  Answer answer_;

  bool advancing_ = false;
  bool draining_ = false;  // true if the connection may end without waiting for a further request
  bool reading_paused_ = false;
  Stopwatch writing_clock_;  // time since the last byte was written
};

}  // namespace inferd::net::http1

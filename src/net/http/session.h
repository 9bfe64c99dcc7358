#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/buffer.h"
#include "net/http/exchange.h"
#include "net/http/http.h"
#include "net/http/limits.h"

namespace inferd::net {

class BodyPool;
class NetMetrics;
class SliceWriter;

// The connection as its session sees it. Loop-bound.
// Of a connection, as RequestHead has them.
struct ConnectionEnds {
  std::string peer;
  std::string local;
};

class SessionHost {
 public:
  virtual ~SessionHost() = default;
  virtual Loop& loop() = 0;
  virtual HttpHandler& handler() = 0;
  virtual const Limits& limits() const = 0;
  // Where bodies are put (see Body), which also charges them.
  virtual BodyPool& bodies() = 0;
  // Where the loop's connections may read to: shared, so what is read there must be dealt with in OnRead.
  virtual std::span<std::byte> read_space() = 0;
  // Where short pieces of output are put.
  virtual SliceWriter& writer() = 0;
  // Where this loop's requests wait for their replies (see Exchange).
  virtual Reply::Target& replies() = 0;
  virtual NetMetrics& metrics() = 0;
  virtual const ConnectionEnds& ends() const = 0;
  virtual bool tls() const = 0;

  // There is output: TakeOutput will be called soon. Never calls back into the session.
  virtual void WantWrite() = 0;
  // Stop, or go on, reading from the peer (back-pressure).
  virtual void PauseReading() = 0;
  virtual void ResumeReading() = 0;
  // Close once all output is written (then a lingering close), or at once.
  virtual void CloseAfterWrite() = 0;
  virtual void Abort() = 0;
};

// What a protocol does with a connection's bytes; it does no I/O itself, so tests and fuzzers feed it by hand. HTTP/1.1
// and HTTP/2 are the two. Loop-bound. Never throws on what a peer sends.
class Session {
 public:
  virtual ~Session() = default;

  // Where the next bytes should be read to: inside a request's body buffer wherever possible, so that a body is written
  // once. Valid until OnRead or the next call. Never empty unless reading is paused.
  virtual std::span<std::byte> PrepareRead() = 0;
  virtual void OnRead(size_t bytes) = 0;
  // The peer has finished sending (FIN, or TLS close_notify).
  virtual void OnEof() = 0;
  // The connection is gone: every request's peer is. Nothing is called afterwards but the destructor.
  virtual void OnClosed() = 0;

  // Appends pieces to write, in order, about `bytes_max` of them; returns the bytes appended, 0 if there is none.
  virtual size_t TakeOutput(std::vector<base::BufferSlice>& out, size_t bytes_max) = 0;
  virtual void OnWritten(size_t bytes) = 0;

  // Tell the peer with the next response that the connection ends there: "Connection: close", or GOAWAY behind it. A
  // peer that asks for nothing is not told, and may go on.
  virtual void AnnounceDrain() = 0;
  // Tell it now, where the protocol can (GOAWAY), and be done as soon as the peer has had its chance to know: what it
  // has sent before is answered. Where the protocol cannot, the connection ends once it has been idle for
  // Limits::drain_idle.
  virtual void BeginDrain() = 0;
  // Nothing in flight: no request is being read, executed or written.
  virtual bool idle() const = 0;
  // Requests handed over and not yet answered.
  virtual size_t in_flight() const = 0;
  // About once a second: enforce the header, body-progress and idle time limits.
  virtual void OnTick(int64_t now_ns) = 0;
};

}  // namespace inferd::net

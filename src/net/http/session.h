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

// The addresses of a connection, as in RequestHead.
struct ConnectionEnds {
  std::string peer;
  std::string local;
};

// The connection as its session sees it. Loop-bound.
class SessionHost {
 public:
  virtual ~SessionHost() = default;
  virtual Loop& loop() = 0;
  virtual HttpHandler& handler() = 0;
  virtual const Limits& limits() const = 0;
  // Returns the pool that allocates bodies (see Body) and charges them.
  virtual BodyPool& bodies() = 0;
  // Returns the read buffer of the loop's connections. It is shared, so OnRead() must process its bytes before it
  // returns.
  virtual std::span<std::byte> read_space() = 0;
  // Returns the writer for short pieces of output.
  virtual SliceWriter& writer() = 0;
  // Returns this loop's table of open exchanges (see Exchange).
  virtual Reply::Target& replies() = 0;
  virtual NetMetrics& metrics() = 0;
  virtual const ConnectionEnds& ends() const = 0;
  virtual bool tls() const = 0;

  // Announces output: TakeOutput() will be called soon. Never calls back into the session.
  virtual void WantWrite() = 0;
  // Pause or resume reading from the peer (back-pressure).
  virtual void PauseReading() = 0;
  virtual void ResumeReading() = 0;
  // Closes once all output is written (then with a lingering close); Abort() closes at once.
  virtual void CloseAfterWrite() = 0;
  virtual void Abort() = 0;
};

// A protocol's state on one connection: HTTP/1.1 or HTTP/2. It does no I/O itself, so that tests and fuzzers feed it by
// hand. Loop-bound. Never throws because of a peer's bytes.
class Session {
 public:
  virtual ~Session() = default;

  // Returns the space for the next bytes: inside a request's body buffer if possible, so that a body is written once.
  // Valid until OnRead() or the next call. Never empty unless reading is paused.
  virtual std::span<std::byte> PrepareRead() = 0;
  virtual void OnRead(size_t bytes) = 0;
  // The peer has finished sending (FIN, or TLS close_notify).
  virtual void OnEof() = 0;
  // The connection is gone, and so is every request's peer. Only the destructor is called afterwards.
  virtual void OnClosed() = 0;

  // Appends pieces to write, in order, about `bytes_max` bytes. Returns the bytes appended, or 0 if there is no output.
  virtual size_t TakeOutput(std::vector<base::BufferSlice>& out, size_t bytes_max) = 0;
  virtual void OnWritten(size_t bytes) = 0;

  // Tells the peer with the next response that the connection ends: "Connection: close", or GOAWAY after it. A peer
  // that sends no request is not told, and may go on.
  virtual void AnnounceDrain() = 0;
  // Tells the peer now if the protocol can (GOAWAY), and finishes as soon as the peer could have noticed. Requests sent
  // before are answered. If the protocol cannot, the connection ends once it has been idle for Limits::drain_idle.
  virtual void BeginDrain() = 0;
  // True if no request is being read, executed or written.
  virtual bool idle() const = 0;
  // Returns the number of requests that were handed over and are not answered yet.
  virtual size_t in_flight() const = 0;
  // Called about once a second: enforces the time limits for headers, body progress and idleness.
  virtual void OnTick(int64_t now_ns) = 0;
};

}  // namespace inferd::net

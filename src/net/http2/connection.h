#pragma once

#include <nghttp2/nghttp2.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "net/http/session.h"
#include "net/http2/drain.h"
#include "net/http2/ending.h"
#include "net/http2/keepalive.h"
#include "net/http2/receiver.h"
#include "net/http2/sender.h"
#include "net/http2/stream/link.h"
#include "net/http2/stream/stream_context.h"
#include "net/http2/stream_table.h"

namespace inferd::net::http2 {

// One HTTP/2 connection: nghttp2 without its I/O, and the streams. Loop-bound. It owns the parts, tells them of events,
// and enforces the time limits.
//
// nghttp2 parses, manages the flow-control windows and orders the output. Requests are handed to the handler after each
// read, not inside nghttp2's callbacks. A request's bytes are released to the peer's window once they are in its body,
// which was charged to the memory budget; a sink's bytes, once the sink has processed them. While more bytes of
// complete responses than the write high-water mark wait for the peer's windows, no further request is delivered.
// Frames are still read, since they open the windows.
//
// These are refused with GOAWAY ENHANCE_YOUR_CALM: many streams that are reset as soon as they begin (by the peer, or
// because of its frames), many control frames or empty frames, and more CONTINUATION frames than a header block within
// the limit needs.
class Connection final : public Session {
 public:
  explicit Connection(SessionHost& host);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Starts h2c; `settings` is the decoded SETTINGS payload. Returns false if it is invalid; the connection is then
  // unusable.
  bool Upgrade(std::string_view settings, bool head_request);
  // Gives stream 1 its request.
  void AdoptUpgraded(HttpRequest request);

  std::span<std::byte> PrepareRead() override { return receiver_.PrepareRead(); }
  void OnRead(size_t bytes) override;
  void OnEof() override;
  void OnClosed() override { ending_.OnClosed(); }
  size_t TakeOutput(std::vector<base::BufferSlice>& out, size_t bytes_max) override {
    return sender_.TakeOutput(out, bytes_max);
  }
  void OnWritten(size_t bytes) override { sender_.OnWritten(bytes); }
  void AnnounceDrain() override { drain_.Announce(); }
  void BeginDrain() override;
  bool idle() const override { return streams_.empty() && sender_.unwritten() == 0; }
  size_t in_flight() const override { return context_.requests.in_flight(); }
  void OnTick(int64_t now_ns) override;

 private:
  friend struct Callbacks;  // nghttp2's callbacks, for receiver_ and sender_ too

  // --- Called by nghttp2 in the middle of a read or a write.
  void OnFrame(const nghttp2_frame& frame);
  void OnPing(const nghttp2_frame& frame);
  void OnFrameSent(const nghttp2_frame& frame);

  void EnforceLifetime();

  Link link_;
  StreamContext context_;
  StreamTable streams_;
  Ending ending_;
  Receiver receiver_;
  Sender sender_;
  Drain drain_;
  Keepalive keepalive_;
  Age age_;
  const int64_t began_ns_;
  bool greeted_ = false;  // the peer's preface and SETTINGS have arrived
};

}  // namespace inferd::net::http2

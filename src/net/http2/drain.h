#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "net/http2/stream/link.h"

namespace inferd::net::http2 {

// Ends the connection gracefully: sends a notice (GOAWAY) that still accepts requests in flight, then a PING. When the
// PING's answer has arrived, or is overdue, it sends the GOAWAY that ends the connection. Loop-bound.
class Drain {
 public:
  explicit Drain(Link& link) : link_(link) {}

  // Sends the notice after the next response that leaves no stream open.
  void Announce() { announced_ = true; }
  // Sends the notice as soon as the peer can take it. Returns false if it was already called.
  bool Begin();
  // Sends the notice now.
  void SubmitNotice();

  // `streams` is the number of open streams.
  void OnTick(size_t streams);
  void OnPingAck(std::span<const uint8_t> payload);
  void OnGoawaySent();
  // Called when the last frame of a response was sent. Its stream is one of `streams`.
  void OnResponseSent(size_t streams);

 private:
  void SubmitPing();
  bool MayEnd(size_t streams) const;
  void SubmitFinalGoaway();

  Link& link_;
  int64_t begun_ns_ = 0;    // time of Begin(), or 0 before it
  int64_t notice_ns_ = 0;   // time of the notice
  bool announced_ = false;  // the notice is due after the next response that leaves no stream open
  bool noticed_ = false;    // the notice was sent
  bool ping_due_ = false;   // a PING is due after the notice and Limits::drain_idle
  bool final_goaway_ = false;
};

}  // namespace inferd::net::http2

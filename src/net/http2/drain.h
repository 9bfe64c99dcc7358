#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "net/http2/stream/link.h"

namespace inferd::net::http2 {

// Has the peer end the connection in peace: a notice (GOAWAY) that still accepts what is on its way, a PING behind it,
// and when that comes back, or has had the time to, the GOAWAY that ends the connection. Loop-bound.
class Drain {
 public:
  explicit Drain(Link& link) : link_(link) {}

  // Notice behind the next response that leaves no stream open.
  void Announce() { announced_ = true; }
  // Notice as soon as the peer takes it well. False: it had been called.
  bool Begin();
  // Notice now.
  void SubmitNotice();

  // `streams`: how many there are.
  void OnTick(size_t streams);
  void OnPingAck(std::span<const uint8_t> payload);
  void OnGoawaySent();
  // The last frame of a response has left; its stream is one of `streams`.
  void OnResponseSent(size_t streams);

 private:
  void SubmitPing();
  bool MayEnd(size_t streams) const;
  void SubmitFinalGoaway();

  Link& link_;
  int64_t begun_ns_ = 0;    // since Begin; 0: it has not been called
  int64_t notice_ns_ = 0;   // since the notice
  bool announced_ = false;  // to be told behind the next response that leaves no stream open
  bool noticed_ = false;    // the notice is out
  bool ping_due_ = false;   // behind it, after Limits::drain_idle
  bool final_goaway_ = false;
};

}  // namespace inferd::net::http2

#pragma once

#include <cstdint>

#include "net/http/limits.h"

namespace inferd::net::http2 {

// Http2Keepalive's rules: when our next PING is due, and whether the peer sends too many. It is told of events and
// sends nothing itself. Loop-bound. Times are base::Clock::NowNs.
class Keepalive {
 public:
  Keepalive(const Http2Keepalive& limits, int64_t now_ns) : limits_(limits), heard_ns_(now_ns) {}

  // Called for any bytes from the peer, which prove that it lives.
  void OnRead(int64_t now_ns) {
    heard_ns_ = now_ns;
    pinged_ns_ = 0;
  }
  // Called when we have sent HEADERS or DATA: the peer has a reason for PINGs. (As with gRPC servers, the peer's
  // WINDOW_UPDATEs allow PINGs: it may measure while it sends.)
  void OnSent() {
    pings_without_data_ = 0;
    OnWindowUpdateSent();
  }
  void OnWindowUpdateSent() {
    strikes_ = 0;
    peer_pinged_ns_ = 0;
  }
  // A PING came. Returns false if it was one too many.
  bool OnPing(int64_t now_ns, bool has_streams);

  enum class Due { kNothing, kPing, kDrop };
  // Returns the action that is due now. A returned PING counts as sent.
  Due OnTick(int64_t now_ns, bool has_streams);

 private:
  const Http2Keepalive& limits_;
  int64_t heard_ns_;
  int64_t pinged_ns_ = 0;       // time of our PING if nothing was heard since; else 0
  int64_t peer_pinged_ns_ = 0;  // 0 if none since we sent something
  uint32_t pings_without_data_ = 0;
  uint32_t strikes_ = 0;
};

// The age limit of a connection. Loop-bound.
class Age {
 public:
  Age(const Limits& limits, int64_t now_ns);

  enum class Due { kNothing, kDrain, kClose };
  // Returns kDrain once only.
  Due OnTick(int64_t now_ns);

 private:
  int64_t drain_ns_;  // 0 if never, or not again
  int64_t close_ns_ = 0;
  int64_t grace_ns_;
};

}  // namespace inferd::net::http2

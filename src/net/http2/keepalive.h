#pragma once

#include <cstdint>

#include "net/http/limits.h"

namespace inferd::net::http2 {

// When a connection is due a PING of ours, and whether the peer sends too many: Http2Keepalive's rules. It is told what
// happens and sends nothing itself. Loop-bound. Times are base::Clock::NowNs.
class Keepalive {
 public:
  Keepalive(const Http2Keepalive& limits, int64_t now_ns) : limits_(limits), heard_ns_(now_ns) {}

  // Any byte from the peer: it lives.
  void OnRead(int64_t now_ns) {
    heard_ns_ = now_ns;
    pinged_ns_ = 0;
  }
  // HEADERS or DATA of ours has left: there is traffic for the peer to ping about. (As gRPC servers do, WINDOW_UPDATEs
  // count for its pings: it may measure while it sends.)
  void OnSent() {
    pings_without_data_ = 0;
    OnWindowUpdateSent();
  }
  void OnWindowUpdateSent() {
    strikes_ = 0;
    peer_pinged_ns_ = 0;
  }
  // A PING came. False: one too many.
  bool OnPing(int64_t now_ns, bool has_streams);

  enum class Due { kNothing, kPing, kDrop };
  // What is to be done now; a PING is taken as sent.
  Due OnTick(int64_t now_ns, bool has_streams);

 private:
  const Http2Keepalive& limits_;
  int64_t heard_ns_;
  int64_t pinged_ns_ = 0;       // our PING that nothing has been heard since; 0: none
  int64_t peer_pinged_ns_ = 0;  // 0: not since we sent something
  uint32_t pings_without_data_ = 0;
  uint32_t strikes_ = 0;
};

// When a connection has lived long enough. Loop-bound.
class Age {
 public:
  Age(const Limits& limits, int64_t now_ns);

  enum class Due { kNothing, kDrain, kClose };
  // kDrain is said once.
  Due OnTick(int64_t now_ns);

 private:
  int64_t drain_ns_;  // 0: never, or not again
  int64_t close_ns_ = 0;
  int64_t grace_ns_;
};

}  // namespace inferd::net::http2

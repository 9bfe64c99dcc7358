#pragma once

#include <cstddef>
#include <cstdint>

#include "net/http2/stream/token_bucket.h"

namespace inferd::net::http2 {

// Counts what a peer can send in numbers at little cost to itself: frames that bring no work, and streams that are
// reset as soon as they begin. It is told what happens and sends nothing itself. Loop-bound. Times are
// base::Clock::NowNs.
class AbuseGuard {
 public:
  explicit AbuseGuard(int64_t now_ns) : tick_ns_(now_ns) {}

  // A frame that brings neither a request nor data. False: one too many.
  bool OnIdleFrame() {
    if (owed_frames_ == 0) return idle_frames_.Take();
    --owed_frames_;
    return true;
  }
  // A stream has ended. `wasted`: reset, with whatever error, before there was an answer, and soon. False: one too
  // many.
  bool OnStreamClosed(bool wasted);
  // A request was handed over: the peer has reason for some frames more.
  void OnRequest() { idle_frames_.Credit(kFramesPerRequest); }
  // DATA of ours has left: the peer opens its windows for it, whenever it reads it. A frame may hold many messages, and
  // some gRPC clients open windows for each.
  void OnDataSent(size_t bytes) { owed_frames_ += kFramesPerDataFrame + bytes / kBytesPerFrame; }

  void OnTick(int64_t now_ns);

 private:
  static constexpr int64_t kFramesBurst = 1000;
  static constexpr int64_t kFramesPerSecond = 100;
  static constexpr int64_t kFramesPerRequest = 4;
  static constexpr uint64_t kFramesPerDataFrame = 4;  // both windows opened for each, some of it in two steps
  static constexpr uint64_t kBytesPerFrame = 16;      // about what such a frame itself takes
  static constexpr int64_t kResetsBurst = 1000;       // a client may cancel all it has, a few times over
  static constexpr int64_t kResetsPerSecond = 100;

  TokenBucket idle_frames_{kFramesBurst, kFramesPerSecond};
  TokenBucket resets_{kResetsBurst, kResetsPerSecond};
  uint64_t owed_frames_ = 0;  // for data that the peer may not have read yet
  int64_t tick_ns_;
};

inline bool AbuseGuard::OnStreamClosed(bool wasted) {
  if (!wasted) resets_.Credit(1);
  return !wasted || resets_.Take();
}

inline void AbuseGuard::OnTick(int64_t now_ns) {
  idle_frames_.Refill(now_ns - tick_ns_);
  resets_.Refill(now_ns - tick_ns_);
  tick_ns_ = now_ns;
}

}  // namespace inferd::net::http2

#pragma once

#include <cstddef>
#include <cstdint>

#include "net/http2/stream/token_bucket.h"

namespace inferd::net::http2 {

// Counts what a peer can send in great numbers at little cost: frames that bring no work, and streams that are reset as
// soon as they begin. It is told of events and sends nothing itself. Loop-bound. Times are base::Clock::NowNs.
class AbuseGuard {
 public:
  explicit AbuseGuard(int64_t now_ns) : tick_ns_(now_ns) {}

  // A frame that brings neither a request nor data has arrived. Returns false if it was one too many.
  bool OnIdleFrame() {
    if (owed_frames_ == 0) return idle_frames_.Take();
    --owed_frames_;
    return true;
  }
  // A stream has ended. `wasted`: it was reset early, with any error, before there was a response. Returns false if it
  // was one too many.
  bool OnStreamClosed(bool wasted);
  // A request was handed over, which entitles the peer to some more frames.
  void OnRequest() { idle_frames_.Credit(kFramesPerRequest); }
  // We have sent DATA: the peer will open its windows for it when it reads it. A frame may hold many messages, and some
  // gRPC clients open windows for each message.
  void OnDataSent(size_t bytes) { owed_frames_ += kFramesPerDataFrame + bytes / kBytesPerFrame; }

  void OnTick(int64_t now_ns);

 private:
  static constexpr int64_t kFramesBurst = 1000;
  static constexpr int64_t kFramesPerSecond = 100;
  static constexpr int64_t kFramesPerRequest = 4;
  static constexpr uint64_t kFramesPerDataFrame = 4;  // both windows opened for each, possibly in two steps
  static constexpr uint64_t kBytesPerFrame = 16;      // approximate size of such a frame
  static constexpr int64_t kResetsBurst = 1000;       // a client may cancel all its requests, a few times over
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

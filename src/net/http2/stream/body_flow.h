#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "net/http2/stream/stream_context.h"

namespace inferd::net::http2 {

// The flow of one stream's bytes: the time of the last progress, in or out, and the number of received bytes for which
// the stream's window is still closed. Loop-bound.
class BodyFlow {
 public:
  BodyFlow(StreamContext& context, int32_t id, int64_t now_ns) : context_(context), id_(id), moved_ns_(now_ns) {}

  void Move(int64_t now_ns) { moved_ns_ = now_ns; }
  int64_t moved_ns() const { return moved_ns_; }

  // Keeps the window closed for bytes that have arrived, until Open().
  void Keep(size_t bytes) { kept_ += bytes; }
  // Opens the window, unless paused.
  void Open() {
    if (!paused_ && kept_ > 0) context_.outbound.Consume(id_, std::exchange(kept_, 0));
  }
  void Pause() { paused_ = true; }
  void Resume() {
    paused_ = false;
    Move(context_.link.now_ns);
    Open();
  }
  bool paused() const { return paused_; }

 private:
  StreamContext& context_;
  const int32_t id_;
  bool paused_ = false;
  size_t kept_ = 0;
  int64_t moved_ns_;
};

}  // namespace inferd::net::http2

#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "net/http2/stream/stream_context.h"

namespace inferd::net::http2 {

// How the bytes of one stream flow: when one last moved, in or out, and how many have come by which the stream's window
// is still shut. Loop-bound.
class BodyFlow {
 public:
  BodyFlow(StreamContext& context, int32_t id, int64_t now_ns) : context_(context), id_(id), moved_ns_(now_ns) {}

  void Move(int64_t now_ns) { moved_ns_ = now_ns; }
  int64_t moved_ns() const { return moved_ns_; }

  // Bytes have come that the window stays shut by until Open.
  void Keep(size_t bytes) { kept_ += bytes; }
  // Unless it is paused.
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

#pragma once

#include <nghttp2/nghttp2.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "net/http2/ending.h"
#include "net/http2/stream/link.h"
#include "net/http2/stream_table.h"

namespace inferd::net::http2 {

// Reads the peer's bytes, through nghttp2, into streams. The rest of a large DATA frame is read directly to its
// stream's memory, where nghttp2 finds it, so that a tensor is not copied. It ends the connection of a peer that sends
// many frames which cost the peer nothing. Loop-bound.
class Receiver {
 public:
  Receiver(Link& link, StreamTable& streams, Ending& ending) : link_(link), streams_(streams), ending_(ending) {}

  // Returns the space for the next bytes.
  std::span<std::byte> PrepareRead();
  // Processes `bytes` that were read. Returns nghttp2's error, or 0.
  int OnRead(size_t bytes);
  // Returns the time at which the incomplete header block began, or 0 if there is none.
  int64_t headers_since_ns() const { return headers_since_ns_; }

  // --- Called by nghttp2 in the middle of a read.
  int OnBeginFrame(const nghttp2_frame_hd& frame);
  int OnBeginHeaders(const nghttp2_frame& frame);
  void OnField(std::string_view name, std::string_view value) {
    if (heading_ != nullptr) heading_->OnField(name, value);
  }
  int OnData(int32_t id, std::span<const std::byte> data);
  void OnHeadersFrame(const nghttp2_frame_hd& frame);
  void OnDataFrame(const nghttp2_frame_hd& frame);
  // ... or in the middle of a write.
  void OnStreamClosed(int32_t id);

 private:
  // True if the frame brings a request or data, or ends a stream.
  bool Works(const nghttp2_frame_hd& frame);
  // Returns the space for the rest of a large DATA frame.
  std::span<std::byte> FrameSpace();

  Link& link_;
  StreamTable& streams_;
  Ending& ending_;
  Stream* heading_ = nullptr;            // the stream whose header block is arriving
  const std::byte* inbox_ = nullptr;     // from PrepareRead to OnRead
  const std::byte* data_end_ = nullptr;  // end of OnData's last bytes
  int32_t frame_stream_ = 0;             // stream of the frame that is being read
  size_t frame_left_ = 0;                // missing bytes of its payload; 0 unless they are known to be all data
  int64_t headers_since_ns_ = 0;
};

}  // namespace inferd::net::http2

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

// What comes from the peer: reads it, through nghttp2, into streams. The rest of a large DATA frame is read to where
// its stream wants it, and nghttp2 finds it there, so that a tensor is not copied on its way. Ends the connection of a
// peer that sends what costs it nothing in numbers. Loop-bound.
class Receiver {
 public:
  Receiver(Link& link, StreamTable& streams, Ending& ending) : link_(link), streams_(streams), ending_(ending) {}

  // Where the next bytes should be read to.
  std::span<std::byte> PrepareRead();
  // That many were. nghttp2's error, if not 0.
  int OnRead(size_t bytes);
  // When the header block began that is incomplete now; 0: none is.
  int64_t headers_since_ns() const { return headers_since_ns_; }

  // --- From nghttp2, in the middle of a read.
  int OnBeginFrame(const nghttp2_frame_hd& frame);
  int OnBeginHeaders(const nghttp2_frame& frame);
  void OnField(std::string_view name, std::string_view value) {
    if (heading_ != nullptr) heading_->OnField(name, value);
  }
  int OnData(int32_t id, std::span<const std::byte> data);
  void OnHeadersFrame(const nghttp2_frame_hd& frame);
  void OnDataFrame(const nghttp2_frame_hd& frame);
  // ... or of a write.
  void OnStreamClosed(int32_t id);

 private:
  // Whether the frame brings a request or data, or ends a stream.
  bool Works(const nghttp2_frame_hd& frame);
  // Where the rest of a large DATA frame belongs.
  std::span<std::byte> FrameSpace();

  Link& link_;
  StreamTable& streams_;
  Ending& ending_;
  Stream* heading_ = nullptr;            // whose header block is arriving
  const std::byte* inbox_ = nullptr;     // from PrepareRead to OnRead
  const std::byte* data_end_ = nullptr;  // of what OnData had last
  int32_t frame_stream_ = 0;             // of the frame that is being read
  size_t frame_left_ = 0;                // what is to come of its payload; 0: that is not known to be all data
  int64_t headers_since_ns_ = 0;
};

}  // namespace inferd::net::http2

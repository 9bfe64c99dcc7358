#pragma once

#include <nghttp2/nghttp2.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/buffer.h"
#include "net/http2/ending.h"
#include "net/http2/stream/outbound.h"
#include "net/http2/stream_table.h"

namespace inferd::net::http2 {

// Sends to the peer: takes frames from nghttp2 and, for DATA frames, the bytes from streams. Loop-bound.
class Sender {
 public:
  Sender(Link& link, StreamTable& streams, Outbound& outbound, Ending& ending)
      : link_(link), streams_(streams), outbound_(outbound), ending_(ending), written_ns_(link.now_ns) {}

  // See Session::TakeOutput().
  size_t TakeOutput(std::vector<base::BufferSlice>& out, size_t bytes_max);
  void OnWritten(size_t bytes);
  // Bytes that the host has taken and not written yet, and the time of the last write.
  size_t unwritten() const { return unwritten_; }
  int64_t written_ns() const { return written_ns_; }

  // --- Called by nghttp2 in the middle of a write.
  ssize_t ReadBody(int32_t id, size_t bytes_max, uint32_t& flags);
  int SendData(int32_t id, const nghttp2_frame& frame, const uint8_t* header, size_t bytes);

 private:
  Link& link_;
  StreamTable& streams_;
  Outbound& outbound_;
  Ending& ending_;
  std::vector<base::BufferSlice>* out_ = nullptr;  // set during TakeOutput
  size_t out_room_ = 0;
  size_t data_taken_ = 0;  // by SendData
  size_t unwritten_ = 0;
  int64_t written_ns_;
};

}  // namespace inferd::net::http2

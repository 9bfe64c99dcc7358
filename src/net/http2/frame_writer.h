#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/buffer.h"

namespace inferd::net::http2 {

// Turns small bytes (frame headers, HEADERS, short bodies) into slices of one buffer at a time, so that a response goes
// out as one piece or a few, and without an allocation of its own. Loop-bound.
class FrameWriter {
 public:
  // Appends a copy of `bytes` to `out`, to its last slice where that ends at our buffer's end.
  void Copy(std::span<const std::byte> bytes, std::vector<base::BufferSlice>& out);
  // Lets the buffer go, for as long as nothing is written.
  void Release() { block_ = base::Buffer(); }

 private:
  static constexpr size_t kBlockBytes = 8 * 1024;

  base::Buffer block_;
  size_t used_ = 0;
};

}  // namespace inferd::net::http2

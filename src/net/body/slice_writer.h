#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/buffer.h"

namespace inferd::net {

// Turns small bytes (frame headers, HEADERS, short bodies) into slices of one buffer at a time, so that a response goes
// out as one piece or a few, and without an allocation of its own. One for all connections of a loop, so that idle ones
// hold nothing. Loop-bound.
class SliceWriter {
 public:
  // Appends a copy of `bytes` to `out`, to its last slice where that ends at our buffer's end.
  void Copy(std::span<const std::byte> bytes, std::vector<base::BufferSlice>& out);

 private:
  static constexpr size_t kBlockBytes = 8 * 1024;

  base::Buffer block_;
  size_t used_ = 0;
};

}  // namespace inferd::net

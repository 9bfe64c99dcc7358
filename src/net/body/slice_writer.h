#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/buffer.h"

namespace inferd::net {

// Copies small outputs (frame headers, HEADERS, short bodies) into slices of one shared buffer, so that a response goes
// out in one piece or a few, without an allocation of its own. All connections of a loop share one writer, so that idle
// connections hold no memory. Loop-bound.
class SliceWriter {
 public:
  // Appends a copy of `bytes` to `out`. Extends its last slice if that slice ends at our buffer's end.
  void Copy(std::span<const std::byte> bytes, std::vector<base::BufferSlice>& out);

 private:
  static constexpr size_t kBlockBytes = 8 * 1024;

  base::Buffer block_;
  size_t used_ = 0;
};

}  // namespace inferd::net

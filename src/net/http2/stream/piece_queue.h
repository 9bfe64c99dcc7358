#pragma once

#include <boost/container/small_vector.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/buffer.h"
#include "net/body/slice_writer.h"

namespace inferd::net::http2 {

// A response's bytes that wait for the peer's window. Loop-bound.
class PieceQueue {
 public:
  void Push(base::BufferSlice piece) {
    if (piece.empty()) return;
    bytes_ += piece.size();
    pieces_.push_back(std::move(piece));
  }
  uint64_t bytes() const { return bytes_; }

  // Moves the first `bytes` to `out`. Copies short runs together through `writer`; passes on long ones without a copy.
  void Take(size_t bytes, SliceWriter& writer, std::vector<base::BufferSlice>& out);

 private:
  void Pop();

  static constexpr size_t kCopiedBytesMax = 1024;

  boost::container::small_vector<base::BufferSlice, 2> pieces_;  // valid from first_ on
  size_t first_ = 0;
  uint64_t bytes_ = 0;
};

}  // namespace inferd::net::http2

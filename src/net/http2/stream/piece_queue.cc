#include "net/http2/stream/piece_queue.h"

#include <algorithm>

namespace inferd::net::http2 {

void PieceQueue::Take(size_t bytes, SliceWriter& writer, std::vector<base::BufferSlice>& out) {
  bytes_ -= bytes;
  while (bytes > 0) {
    base::BufferSlice& first = pieces_[first_];
    const size_t taken = std::min(bytes, first.size());
    if (taken <= kCopiedBytesMax) {
      writer.Copy(first.bytes().first(taken), out);
    } else {
      out.push_back(first.Sub(0, taken));
    }
    if (taken == first.size()) {
      Pop();
    } else {
      first = first.Sub(taken, first.size() - taken);
    }
    bytes -= taken;
  }
}

void PieceQueue::Pop() {
  constexpr size_t kUsedMax = 64;
  pieces_[first_++] = {};
  if (first_ < pieces_.size() && first_ < kUsedMax) return;
  pieces_.erase(pieces_.begin(), pieces_.begin() + static_cast<ptrdiff_t>(first_));
  first_ = 0;
}

}  // namespace inferd::net::http2

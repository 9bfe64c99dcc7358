#include "net/http2/piece_queue.h"

#include <algorithm>

namespace inferd::net::http2 {

void PieceQueue::Take(size_t bytes, SliceWriter& writer, std::vector<base::BufferSlice>& out) {
  bytes_ -= bytes;
  while (bytes > 0) {
    base::BufferSlice& first = pieces_.front();
    const size_t taken = std::min(bytes, first.size());
    if (taken <= kCopiedBytesMax) {
      writer.Copy(first.bytes().first(taken), out);
    } else {
      out.push_back(first.Sub(0, taken));
    }
    if (taken == first.size()) {
      pieces_.pop_front();
    } else {
      first = first.Sub(taken, first.size() - taken);
    }
    bytes -= taken;
  }
}

}  // namespace inferd::net::http2

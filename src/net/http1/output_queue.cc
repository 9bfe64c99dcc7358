#include "net/http1/output_queue.h"

#include <utility>

namespace inferd::net::http1 {

void OutputQueue::Push(std::string_view text) {
  if (text.empty()) return;
  if (bytes_ == 0) {
    store_.clear();
    if (store_.capacity() < kStoreBytes) store_.reserve(kStoreBytes);
  }
  if (text.size() > store_.capacity() - store_.size()) return Push(base::BufferSlice(base::Buffer::CopyOf(text)));
  const auto* data = reinterpret_cast<const std::byte*>(store_.data() + store_.size());
  store_.append(text);
  Push(base::BufferSlice(base::Buffer(), data, text.size()));
}

void OutputQueue::Push(base::BufferSlice piece) {
  if (piece.empty()) return;
  bytes_ += piece.size();
  pieces_.push_back(std::move(piece));
}

size_t OutputQueue::Take(std::vector<base::BufferSlice>& out, size_t bytes_max) {
  size_t bytes = 0;
  while (taken_ < pieces_.size() && bytes < bytes_max) {
    bytes += pieces_[taken_].size();
    out.push_back(std::move(pieces_[taken_++]));
  }
  if (taken_ == pieces_.size()) {
    pieces_.clear();
    taken_ = 0;
  }
  return bytes;
}

void OutputQueue::Written(size_t bytes) { bytes_ -= bytes; }

}  // namespace inferd::net::http1

#include "net/pending_output.h"

#include <span>

namespace inferd::net {

Transport::Progress PendingOutput::Write(Transport& transport) {
  const Transport::Progress progress = transport.Write(std::span(pieces_).subspan(begin_), offset_);
  if (progress.state != Transport::State::kOk) return progress;
  offset_ += progress.bytes;
  while (begin_ < pieces_.size() && offset_ >= pieces_[begin_].size()) {
    offset_ -= pieces_[begin_].size();
    pieces_[begin_++] = base::BufferSlice();
  }
  if (begin_ == pieces_.size()) Clear();
  return progress;
}

size_t PendingOutput::Own() {
  size_t bytes = 0;
  for (size_t i = begin_; i < pieces_.size(); ++i) {
    if (!pieces_[i].owner()) pieces_[i] = base::BufferSlice(base::Buffer::CopyOf(pieces_[i].view()));
    bytes += pieces_[i].size();
  }
  return bytes - offset_;
}

void PendingOutput::Clear() {
  pieces_.clear();
  begin_ = offset_ = 0;
}

}  // namespace inferd::net

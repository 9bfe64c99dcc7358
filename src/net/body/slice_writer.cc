#include "net/body/slice_writer.h"

#include <algorithm>
#include <cstring>

namespace inferd::net {

void SliceWriter::Copy(std::span<const std::byte> bytes, std::vector<base::BufferSlice>& out) {
  if (bytes.empty()) return;
  if (!block_ || block_.size() - used_ < bytes.size()) {
    block_ = base::Buffer::Allocate(std::max(kBlockBytes, bytes.size()));
    used_ = 0;
  }
  std::byte* const at = block_.data() + used_;
  std::memcpy(at, bytes.data(), bytes.size());
  used_ += bytes.size();
  if (!out.empty() && out.back().data() + out.back().size() == at && out.back().owner().data() == block_.data()) {
    const base::BufferSlice& last = out.back();
    out.back() = base::BufferSlice(block_, last.data(), last.size() + bytes.size());
  } else {
    out.emplace_back(block_, at, bytes.size());
  }
}

}  // namespace inferd::net

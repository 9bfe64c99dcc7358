#include "engines/python/message/input_blocks.h"

#include <cstring>

namespace inferd::python {

base::Result<InputBlocks::Block> InputBlocks::Add(std::span<const inferd_memory> tensors) {
  Block block;
  for (const inferd_memory& tensor : tensors) block.bytes += Aligned(tensor.size);
  if (block.bytes == 0) return block;
  const base::MutexLock lock(mutex_);
  const std::optional<size_t> offset = free_.Take(block.bytes);
  if (!offset.has_value()) return std::unexpected(base::ResourceExhausted("the inputs are too large"));
  block.offset = *offset;
  const auto memory = area_.Reserve(block.offset + block.bytes);
  if (!memory.has_value()) {
    free_.Give(block.offset, block.bytes);
    return std::unexpected(memory.error());
  }
  bytes_ = memory->size();
  std::byte* place = memory->data() + block.offset;
  for (const inferd_memory& tensor : tensors) {
    if (tensor.size > 0) std::memcpy(place, tensor.data, tensor.size);
    place += Aligned(tensor.size);
  }
  return block;
}

void InputBlocks::Give(const Block& block) {
  if (block.bytes == 0) return;
  const base::MutexLock lock(mutex_);
  free_.Give(block.offset, block.bytes);
}

size_t InputBlocks::bytes() {
  const base::MutexLock lock(mutex_);
  return bytes_;
}

}  // namespace inferd::python

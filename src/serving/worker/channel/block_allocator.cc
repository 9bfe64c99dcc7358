#include "serving/worker/channel/block_allocator.h"

#include "base/buffer.h"

namespace inferd::worker {

BlockAllocator::BlockAllocator(ChannelHeader& header, std::span<std::byte> area)
    : header_(header), area_(area), slots_(kBlocksMax), free_bytes_(area.size()) {
  for (uint32_t i = kBlocksMax; i > 0; --i) free_slots_.push_back(i - 1);
}

std::optional<BlockAllocator::Block> BlockAllocator::Allocate(size_t bytes) {
  if (bytes > area_.size()) return std::nullopt;
  const size_t taken =
      (bytes + base::kBufferSlack + base::kBufferAlignment - 1) / base::kBufferAlignment * base::kBufferAlignment;
  base::MutexLock lock(mutex_);
  CollectReleased();
  if (free_slots_.empty()) return std::nullopt;
  const std::optional<size_t> offset = free_bytes_.Take(taken);
  if (!offset.has_value()) return std::nullopt;
  const uint32_t index = free_slots_.back();
  free_slots_.pop_back();
  const uint64_t use = slots_[index].use + 1;
  slots_[index] = {.offset = *offset, .bytes = taken, .use = use, .state = State::kHeld};
  held_[*offset + taken] = index;
  return Block{.index = index, .use = use, .data = area_.data() + *offset};
}

std::optional<BlockAllocator::Block> BlockAllocator::Find(std::span<const std::byte> bytes) const {
  if (bytes.data() < area_.data() || bytes.data() >= area_.data() + area_.size()) return std::nullopt;
  const auto begin = static_cast<size_t>(bytes.data() - area_.data());
  base::MutexLock lock(mutex_);
  const auto it = held_.upper_bound(begin);
  if (it == held_.end()) return std::nullopt;
  const Slot& slot = slots_[it->second];
  if (begin < slot.offset || bytes.size() > slot.offset + slot.bytes - begin) return std::nullopt;
  return Block{.index = it->second, .use = slot.use, .data = area_.data() + slot.offset};
}

void BlockAllocator::Give(uint32_t index) {
  base::MutexLock lock(mutex_);
  Slot& slot = slots_[index];
  header_.released[index].store(0, std::memory_order_relaxed);
  slot.state = State::kGiven;
  held_.erase(slot.offset + slot.bytes);
  given_.push_back(index);
}

void BlockAllocator::Drop(uint32_t index, uint64_t use) {
  base::MutexLock lock(mutex_);
  Slot& slot = slots_[index];
  if (slot.state != State::kHeld || slot.use != use) return;
  held_.erase(slot.offset + slot.bytes);
  Free(index);
}

void BlockAllocator::CollectReleased() {
  for (size_t i = 0; i < given_.size();) {
    const uint32_t index = given_[i];
    if (header_.released[index].load(std::memory_order_acquire) == 0) {
      ++i;
      continue;
    }
    given_[i] = given_.back();
    given_.pop_back();
    Free(index);
  }
}

void BlockAllocator::Free(uint32_t index) {
  Slot& slot = slots_[index];
  slot.state = State::kFree;
  free_slots_.push_back(index);
  ChannelMemory::Trim(area_, area_.subspan(slot.offset, slot.bytes));
  free_bytes_.Give(slot.offset, slot.bytes);
}

}  // namespace inferd::worker

#include "worker/block_allocator.h"

#include "base/buffer.h"

namespace inferd::worker {

BlockAllocator::BlockAllocator(ChannelHeader& header, std::span<std::byte> area)
    : header_(header), area_(area), slots_(kBlocksMax) {
  for (uint32_t i = kBlocksMax; i > 0; --i) free_slots_.push_back(i - 1);
  free_bytes_[0] = area.size();
}

std::optional<BlockAllocator::Block> BlockAllocator::Allocate(size_t bytes) {
  if (bytes > area_.size()) return std::nullopt;
  const size_t taken =
      (bytes + base::kBufferSlack + base::kBufferAlignment - 1) / base::kBufferAlignment * base::kBufferAlignment;
  base::MutexLock lock(mutex_);
  CollectReleased();
  if (free_slots_.empty()) return std::nullopt;
  auto it = free_bytes_.begin();
  while (it != free_bytes_.end() && it->second < taken) ++it;
  if (it == free_bytes_.end()) return std::nullopt;
  const auto [offset, size] = *it;
  free_bytes_.erase(it);
  if (size > taken) free_bytes_[offset + taken] = size - taken;
  const uint32_t index = free_slots_.back();
  free_slots_.pop_back();
  const uint64_t use = slots_[index].use + 1;
  slots_[index] = {.offset = offset, .bytes = taken, .use = use, .state = State::kHeld};
  held_[offset + taken] = index;
  return Block{.index = index, .use = use, .data = area_.data() + offset};
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
  auto [at, added] = free_bytes_.emplace(slot.offset, slot.bytes);
  const auto next = std::next(at);
  if (next != free_bytes_.end() && at->first + at->second == next->first) {
    at->second += next->second;
    free_bytes_.erase(next);
  }
  if (at == free_bytes_.begin()) return;
  const auto before = std::prev(at);
  if (before->first + before->second != at->first) return;
  before->second += at->second;
  free_bytes_.erase(at);
}

}  // namespace inferd::worker

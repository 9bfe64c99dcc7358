#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "base/memory/free_ranges.h"
#include "base/mutex.h"
#include "serving/worker/channel/channel_memory.h"

namespace inferd::worker {

// Divides the answer area into blocks, in the worker. Thread-safe.
//
//   free --Allocate--> held --Drop--> free
//                      held --Give--> given --the server sets released[index]--> free
//
// The server releases blocks in any order, as a response lives until its client has read it.
class BlockAllocator final {
 public:
  struct Block {
    uint32_t index = kNoBlock;
    uint64_t use = 0;           // use count of this index: it may have been freed and held again
    std::byte* data = nullptr;  // aligned to base::kBufferAlignment, with base::kBufferSlack after the end
  };

  BlockAllocator(ChannelHeader& header, std::span<std::byte> area);

  // nullopt if there is no room for `bytes` now.
  std::optional<Block> Allocate(size_t bytes);
  // Returns the held block that contains all of `bytes`. nullopt if there is none.
  std::optional<Block> Find(std::span<const std::byte> bytes) const;
  void Give(uint32_t index);
  // Does nothing if the block was already given.
  void Drop(uint32_t index, uint64_t use);

 private:
  enum class State : uint8_t { kFree, kHeld, kGiven };
  struct Slot {
    size_t offset = 0;
    size_t bytes = 0;
    uint64_t use = 0;
    State state = State::kFree;
  };

  void CollectReleased() REQUIRES(mutex_);
  void Free(uint32_t index) REQUIRES(mutex_);

  ChannelHeader& header_;
  const std::span<std::byte> area_;
  mutable base::Mutex mutex_;
  std::vector<Slot> slots_ GUARDED_BY(mutex_);
  std::vector<uint32_t> free_slots_ GUARDED_BY(mutex_);
  std::vector<uint32_t> given_ GUARDED_BY(mutex_);
  std::map<size_t, uint32_t> held_ GUARDED_BY(mutex_);  // by their end
  base::FreeRanges free_bytes_ GUARDED_BY(mutex_);
};

}  // namespace inferd::worker

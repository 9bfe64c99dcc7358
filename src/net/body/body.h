#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "base/buffer.h"
#include "net/body/memory_budget.h"

namespace inferd::net {

// The memory of one loop's request bodies. Bodies of some tens of kilobytes and more live in mapped blocks that are
// reused, so that a stream of 600 KB requests maps no pages and causes no page faults. Loop-bound. The bodies
// themselves may be dropped on any thread and may outlive the pool.
class BodyPool final {
 public:
  explicit BodyPool(std::shared_ptr<MemoryBudget> budget);
  ~BodyPool();
  BodyPool(const BodyPool&) = delete;
  BodyPool& operator=(const BodyPool&) = delete;

  // Charges bytes that were made elsewhere (by decompression, for example) until their last user drops them. `bytes`
  // must not be shared yet. Returns false, and charges nothing, if the budget is exceeded.
  bool Charge(const base::BufferSlice& bytes);
  // Returns memory to the system that was not needed since the last call. Call about every ten seconds.
  void Trim();
  size_t cached_bytes() const;

 private:
  friend class Body;
  class Blocks;
  Blocks* blocks_;  // reference-counted: one for the pool, one for each body
};

// One request's body while it arrives: a single block that is written once, in place. An announced length reserves
// address space only; the budget is charged as bytes arrive. Loop-bound and movable. A body that is dropped unfinished
// gives back its memory and its charge.
class Body {
 public:
  enum class Fill { kOk, kTooLarge, kNoMemory };  // 413; 503 with Retry-After

  Body() = default;
  // Byte `align_at` will be 64-byte aligned (base::Buffer::Allocate). If `length` is absent, the body grows by moving
  // pages, not bytes. If `memory` has `length` bytes and the limit allows them, the body is written there.
  Body(BodyPool& pool, std::optional<uint64_t> length, uint64_t bytes_max, size_t align_at, base::Buffer memory = {});
  ~Body();
  Body(Body&& other) noexcept;
  Body& operator=(Body&& other) noexcept;

  // Returns the space for the next bytes, or an empty span if the body has reached its limit. `wanted` is a hint for
  // bodies of unknown length.
  std::span<std::byte> Space(size_t wanted = 64 * 1024);
  // Adds `bytes` that were written to Space(). Unless it returns kOk, nothing was added and the body is unusable.
  Fill Commit(size_t bytes);
  // Calls Space(), copies and calls Commit(). Bytes that were read into Space() directly are not copied.
  Fill Append(std::span<const std::byte> bytes);

  uint64_t size() const { return size_; }
  // Returns the bytes that have arrived, to be shared. The body is empty afterwards.
  base::BufferSlice Finish();

 private:
  void Release();
  bool Grow(uint64_t capacity);
  bool Charge(uint64_t bytes);

  BodyPool::Blocks* blocks_ = nullptr;
  base::Buffer given_;          // the caller's memory, or
  base::Buffer small_;          // a short body of known length: plain heap, or
  std::byte* block_ = nullptr;  // a mapped block of `block_bytes_`
  size_t block_bytes_ = 0;
  std::byte* data_ = nullptr;  // byte 0, inside one of the above
  uint64_t capacity_ = 0;
  uint64_t size_ = 0;
  uint64_t charged_ = 0;
  uint64_t bytes_max_ = 0;
  size_t align_at_ = 0;
};

}  // namespace inferd::net

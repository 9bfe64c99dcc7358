#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "base/buffer.h"
#include "net/body/memory_budget.h"

namespace inferd::net {

// Where one loop's request bodies come from. Bodies of some tens of kilobytes and more live in mapped blocks that are
// used again, so that a stream of 600 KB requests maps and faults no page. Loop-bound; the bodies themselves may be
// dropped on any thread and may outlive the pool.
class BodyPool final {
 public:
  explicit BodyPool(std::shared_ptr<MemoryBudget> budget);
  ~BodyPool();
  BodyPool(const BodyPool&) = delete;
  BodyPool& operator=(const BodyPool&) = delete;

  // Charges bytes that were made elsewhere (decompressed, say) until their last user drops them. `bytes` is not shared
  // yet. False: the budget has not so much left; nothing was charged.
  bool Charge(const base::BufferSlice& bytes);
  // Returns to the system what was not needed since the last call. Every ten seconds or so.
  void Trim();
  size_t cached_bytes() const;

 private:
  friend class Body;
  class Blocks;
  Blocks* blocks_;  // counted: one for the pool, one for each body
};

// One request's body while it arrives: a single block that is written once, in place. A promised length costs address
// space only; the budget is charged as bytes arrive. Loop-bound, movable; dropped unfinished, it gives all back.
class Body {
 public:
  enum class Fill { kOk, kTooLarge, kNoMemory };  // 413; 503 with Retry-After

  Body() = default;
  // Byte `align_at` will be 64-byte aligned (base::Buffer::Allocate). `length` absent: it grows, moving pages, not
  // bytes. `memory`, if it has `length` bytes and they are allowed, is where they go.
  Body(BodyPool& pool, std::optional<uint64_t> length, uint64_t bytes_max, size_t align_at, base::Buffer memory = {});
  ~Body();
  Body(Body&& other) noexcept;
  Body& operator=(Body&& other) noexcept;

  // Where the next bytes go; empty if the body is as long as it may be. `wanted` is a hint for bodies of unknown
  // length.
  std::span<std::byte> Space(size_t wanted = 64 * 1024);
  // `bytes` of Space() were written. Not kOk: nothing was taken, and the body is of no more use.
  Fill Commit(size_t bytes);
  // Space, copy, Commit. Bytes that were read to Space() lie where they belong, and are not copied.
  Fill Append(std::span<const std::byte> bytes);

  uint64_t size() const { return size_; }
  // What has arrived, to be shared. The body is empty afterwards.
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
  std::byte* data_ = nullptr;  // byte 0, inside one of these
  uint64_t capacity_ = 0;
  uint64_t size_ = 0;
  uint64_t charged_ = 0;
  uint64_t bytes_max_ = 0;
  size_t align_at_ = 0;
};

}  // namespace inferd::net

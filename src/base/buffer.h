#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <utility>

#include "base/memory_place.h"

namespace inferd::base {

// Every allocation starts at a multiple of kBufferAlignment and has kBufferSlack readable bytes behind its end. Vector
// loads of parsers and engines may read past the data, but never use what they read there.
inline constexpr size_t kBufferAlignment = 64;
inline constexpr size_t kBufferSlack = 64;

// A reference-counted block of bytes: a request body, a tensor, an engine's output. The handle is a pointer, and copies
// share the block. Reference counting is thread-safe. One owner writes the bytes before they are shared; afterwards
// they are only read.
class Buffer {
 public:
  Buffer() = default;
  ~Buffer() { Unref(); }
  Buffer(const Buffer& other) : block_(other.block_) {
    if (block_ != nullptr) block_->refs.fetch_add(1, std::memory_order_relaxed);
  }
  Buffer(Buffer&& other) noexcept : block_(std::exchange(other.block_, nullptr)) {}
  Buffer& operator=(Buffer other) noexcept {
    std::swap(block_, other.block_);
    return *this;
  }

  // Allocates `size` uninitialised bytes so that byte `align_at` (not byte 0) is aligned to kBufferAlignment. Use
  // `align_at` to align the tensor bytes that follow a body's JSON header. Throws std::bad_alloc.
  static Buffer Allocate(size_t size, size_t align_at = 0);

  // Wraps memory that something else owns. `release` runs once, on the thread that drops the last reference. The memory
  // has no slack.
  static Buffer Wrap(std::byte* data, size_t size, std::move_only_function<void()> release, MemoryPlace place = {});

  static Buffer CopyOf(std::string_view bytes);

  explicit operator bool() const { return block_ != nullptr; }
  std::byte* data() { return block_ == nullptr ? nullptr : block_->data; }
  const std::byte* data() const { return block_ == nullptr ? nullptr : block_->data; }
  size_t size() const { return block_ == nullptr ? 0 : block_->size; }
  // If the place is not readable, use CopyBytes() (base/device_memory.h); nothing else may touch the bytes.
  MemoryPlace place() const { return block_ == nullptr ? MemoryPlace() : block_->place; }

  // Lowers size() to the number of bytes written, before the buffer is shared. `size` <= size().
  void Truncate(size_t size) { block_->size = size; }

  // Runs `release` after the memory is freed, for example to release a memory budget's charge. At most one per buffer.
  void OnFree(std::move_only_function<void()> release);

 private:
  struct Block {
    std::atomic<uint32_t> refs{1};
    MemoryPlace place = {};
    std::byte* data = nullptr;
    size_t size = 0;
    std::move_only_function<void()> release;
    void* allocation = nullptr;  // nullptr for wrapped memory
  };

  explicit Buffer(Block* block) : block_(block) {}
  void Unref() {
    if (block_ != nullptr && block_->refs.fetch_sub(1, std::memory_order_acq_rel) == 1) Free(block_);
  }
  static void Free(Block* block);

  Block* block_ = nullptr;
};

// A run of bytes inside a Buffer, which the slice keeps alive. An empty owner means that the memory outlives every user
// (a string literal, for example).
class BufferSlice {
 public:
  BufferSlice() = default;
  explicit BufferSlice(Buffer owner) : owner_(std::move(owner)), data_(owner_.data()), size_(owner_.size()) {}
  BufferSlice(Buffer owner, const std::byte* data, size_t size) : owner_(std::move(owner)), data_(data), size_(size) {}

  const std::byte* data() const { return data_; }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  std::string_view view() const { return {reinterpret_cast<const char*>(data_), size_}; }
  std::span<const std::byte> bytes() const { return {data_, size_}; }
  const Buffer& owner() const { return owner_; }
  MemoryPlace place() const { return owner_.place(); }

  // Returns a slice that shares the owner. `offset + size` <= size().
  BufferSlice Sub(size_t offset, size_t size) const { return {owner_, data_ + offset, size}; }

 private:
  Buffer owner_;
  const std::byte* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace inferd::base

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

// Every allocation starts at a multiple of this and has this many readable bytes behind its end (vector loads of
// parsers and engines may read past the data, never use it).
inline constexpr size_t kBufferAlignment = 64;
inline constexpr size_t kBufferSlack = 64;

// A refcounted block of bytes: a request body, a tensor, an engine's output. The handle is a pointer; copies share the
// block. Reference counting is thread-safe; the bytes are written by one owner before they are shared, then only read.
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

  // Uninitialised memory of `size` bytes whose byte `align_at` (not byte 0) is kBufferAlignment-aligned. Placing a body
  // so that the tensor bytes behind its JSON header are aligned is what `align_at` is for. Throws std::bad_alloc.
  static Buffer Allocate(size_t size, size_t align_at = 0);

  // Memory that something else owns; `release` runs once, on the thread that drops the last reference. No slack
  // promised.
  static Buffer Wrap(std::byte* data, size_t size, std::move_only_function<void()> release, MemoryPlace place = {});

  static Buffer CopyOf(std::string_view bytes);

  explicit operator bool() const { return block_ != nullptr; }
  std::byte* data() { return block_ == nullptr ? nullptr : block_->data; }
  const std::byte* data() const { return block_ == nullptr ? nullptr : block_->data; }
  size_t size() const { return block_ == nullptr ? 0 : block_->size; }
  // Bytes that are not readable are copied by CopyBytes() (base/device_memory.h), and touched by nothing else.
  MemoryPlace place() const { return block_ == nullptr ? MemoryPlace() : block_->place; }

  // Lowers size() to what was really filled, before the buffer is shared. `size` <= size().
  void Truncate(size_t size) { block_->size = size; }

  // Runs `release` after the memory is freed (a memory budget's charge, say). At most one per buffer.
  void OnFree(std::move_only_function<void()> release);

 private:
  struct Block {
    std::atomic<uint32_t> refs{1};
    MemoryPlace place = {};
    std::byte* data = nullptr;
    size_t size = 0;
    std::move_only_function<void()> release;
    void* allocation = nullptr;  // nullptr: wrapped memory
  };

  explicit Buffer(Block* block) : block_(block) {}
  void Unref() {
    if (block_ != nullptr && block_->refs.fetch_sub(1, std::memory_order_acq_rel) == 1) Free(block_);
  }
  static void Free(Block* block);

  Block* block_ = nullptr;
};

// A run of bytes inside a Buffer, which it keeps alive. An empty owner means memory that outlives every user (a
// literal).
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

  // Shares the owner. `offset + size` <= size().
  BufferSlice Sub(size_t offset, size_t size) const { return {owner_, data_ + offset, size}; }

 private:
  Buffer owner_;
  const std::byte* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace inferd::base

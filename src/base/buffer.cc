#include "base/buffer.h"

#include <cstdlib>
#include <cstring>
#include <new>

namespace inferd::base {

namespace {

size_t RoundUp(size_t n) { return (n + kBufferAlignment - 1) & ~(kBufferAlignment - 1); }

}  // namespace

// One allocation holds the block, up to 63 bytes of padding that bring `align_at` to the alignment, the bytes and the
// slack.
Buffer Buffer::Allocate(size_t size, size_t align_at) {
  const size_t header = RoundUp(sizeof(Block));
  const size_t lead = RoundUp(align_at) - align_at;
  const size_t total = kBufferAlignment + header + lead + size + kBufferSlack;
  if (total < size) throw std::bad_alloc();
  // glibc's aligned_alloc bypasses the thread's cache, and costs twenty times as much as malloc for small blocks.
  void* memory = std::malloc(total);
  while (memory == nullptr) {  // as operator new does
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
    memory = std::malloc(total);
  }
  std::byte* const start =
      static_cast<std::byte*>(memory) - reinterpret_cast<uintptr_t>(memory) % kBufferAlignment + kBufferAlignment;
  auto* block = new (start) Block();
  block->allocation = memory;
  block->data = start + header + lead;
  block->size = size;
  return Buffer(block);
}

Buffer Buffer::Wrap(std::byte* data, size_t size, std::move_only_function<void()> release, MemoryPlace place) {
  auto* block = new Block();
  block->data = data;
  block->size = size;
  block->release = std::move(release);
  block->place = place;
  return Buffer(block);
}

Buffer Buffer::CopyOf(std::string_view bytes) {
  Buffer buffer = Allocate(bytes.size());
  if (!bytes.empty()) std::memcpy(buffer.data(), bytes.data(), bytes.size());
  return buffer;
}

void Buffer::OnFree(std::move_only_function<void()> release) { block_->release = std::move(release); }

void Buffer::Free(Block* block) {
  auto release = std::move(block->release);
  if (block->allocation != nullptr) {
    void* memory = block->allocation;
    block->~Block();
    std::free(memory);
  } else {
    delete block;
  }
  if (release) release();
}

}  // namespace inferd::base

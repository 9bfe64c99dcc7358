#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

namespace inferd::net::http1 {

// Bytes that have arrived and are not read yet, in one growing buffer. Loop-bound.
class Input final {
 public:
  std::string_view text() const { return {reinterpret_cast<const char*>(buffer_.get()) + begin_, end_ - begin_}; }
  bool empty() const { return begin_ == end_; }
  // True if no byte fits unless the buffer grows.
  bool full() const { return end_ - begin_ == capacity_; }

  // Returns the space for the next bytes. Empty only if the buffer is full and may not grow.
  std::span<std::byte> Space(bool may_grow) {
    if (end_ == capacity_) MakeRoom(may_grow);
    return {buffer_.get() + end_, capacity_ - end_};
  }
  // Adds `bytes` that were written to Space().
  void Commit(size_t bytes) { end_ += bytes; }
  // Marks the first `bytes` of text() as read.
  void Skip(size_t bytes) {
    begin_ += bytes;
    if (begin_ == end_) Clear();
  }
  void Clear() { begin_ = end_ = 0; }
  // Frees the memory. Call only when empty().
  void Release();

 private:
  void MakeRoom(bool may_grow);

  std::unique_ptr<std::byte[]> buffer_;
  size_t capacity_ = 0;
  size_t begin_ = 0;
  size_t end_ = 0;
};

}  // namespace inferd::net::http1

#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

namespace inferd::net::http1 {

// Bytes that have arrived and are not read yet, in one buffer that grows. Loop-bound.
class Input final {
 public:
  std::string_view text() const { return {reinterpret_cast<const char*>(buffer_.get()) + begin_, end_ - begin_}; }
  bool empty() const { return begin_ == end_; }
  // Nothing more fits unless it grows.
  bool full() const { return end_ - begin_ == capacity_; }

  // Where the next bytes go; empty only if it is full and may not grow.
  std::span<std::byte> Space(bool may_grow) {
    if (end_ == capacity_) MakeRoom(may_grow);
    return {buffer_.get() + end_, capacity_ - end_};
  }
  // `bytes` of Space() were written.
  void Commit(size_t bytes) { end_ += bytes; }
  // The first `bytes` of text() are read.
  void Skip(size_t bytes) {
    begin_ += bytes;
    if (begin_ == end_) Clear();
  }
  void Clear() { begin_ = end_ = 0; }
  // Gives the memory back. Only when empty().
  void Release();

 private:
  void MakeRoom(bool may_grow);

  std::unique_ptr<std::byte[]> buffer_;
  size_t capacity_ = 0;
  size_t begin_ = 0;
  size_t end_ = 0;
};

}  // namespace inferd::net::http1

#include "net/http1/input.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace inferd::net::http1 {

namespace {

constexpr size_t kInputBytes = 16 * 1024;

}  // namespace

void Input::MakeRoom(bool may_grow) {
  if (begin_ > 0) {
    std::memmove(buffer_.get(), buffer_.get() + begin_, end_ - begin_);
    end_ -= std::exchange(begin_, 0);
  }
  if (end_ == capacity_ && may_grow) {
    const size_t capacity = std::max(kInputBytes, 2 * capacity_);
    auto grown = std::make_unique_for_overwrite<std::byte[]>(capacity);
    if (end_ > 0) std::memcpy(grown.get(), buffer_.get(), end_);
    buffer_ = std::move(grown);
    capacity_ = capacity;
  }
}

void Input::Release() {
  buffer_.reset();
  begin_ = end_ = capacity_ = 0;
}

}  // namespace inferd::net::http1

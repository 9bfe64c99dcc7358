#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <string_view>

#include "base/buffer.h"
#include "base/status.h"

// Packed BYTES tensors: each element has a 32-bit little-endian length, followed by that many bytes (Triton's binary
// tensor extension, "BYTES").

namespace inferd::tensor {

static_assert(std::endian::native == std::endian::little);

inline constexpr size_t kLengthSize = 4;
inline constexpr size_t kBytesElementMax = std::numeric_limits<uint32_t>::max();

// Checks that `packed` has exactly `count` elements: no length reaches beyond the end, and nothing follows the last
// one. INVALID_ARGUMENT, with the expected and the actual size; the text is written to follow a tensor's name and a
// colon.
base::Status CheckPacked(std::span<const std::byte> packed, size_t count);

// Returns the number of elements in `packed`. INVALID_ARGUMENT, as for CheckPacked(), if a length reaches beyond the
// end.
base::Result<size_t> CountPacked(std::span<const std::byte> packed);

// Returns the size in bytes of the first `count` elements of `packed`, or nullopt if it does not have so many.
std::optional<size_t> PackedPrefix(std::span<const std::byte> packed, size_t count);

// Iterates over a packed tensor that CheckPacked() has accepted: for (std::string_view element : PackedElements(data)).
class PackedElements {
 public:
  class Iterator {
   public:
    explicit Iterator(const std::byte* at) : at_(at) {}
    std::string_view operator*() const { return {reinterpret_cast<const char*>(at_ + kLengthSize), Length()}; }
    Iterator& operator++() {
      at_ += kLengthSize + Length();
      return *this;
    }
    bool operator==(const Iterator&) const = default;

   private:
    uint32_t Length() const {
      uint32_t length;
      std::memcpy(&length, at_, kLengthSize);
      return length;
    }
    const std::byte* at_;
  };

  explicit PackedElements(std::span<const std::byte> packed) : packed_(packed) {}
  Iterator begin() const { return Iterator(packed_.data()); }
  Iterator end() const { return Iterator(packed_.data() + packed_.size()); }

 private:
  std::span<const std::byte> packed_;
};

// Packs elements one by one. Not thread-safe.
class BytesPacker {
 public:
  // `size_hint` is the expected packed size; within it, nothing is copied twice.
  explicit BytesPacker(size_t size_hint);

  // INVALID_ARGUMENT if `element` is longer than kBytesElementMax.
  base::Status Append(std::string_view element);

  // Returns the number of packed bytes so far.
  size_t size() const { return used_; }
  // Hands over the tensor.
  base::Buffer Take();

 private:
  base::Buffer buffer_;
  size_t used_ = 0;
};

}  // namespace inferd::tensor

#include "data/tensor/bytes.h"

#include <algorithm>
#include <string>

namespace inferd::tensor {

namespace {

std::string Count(size_t n, std::string_view what) {
  return (std::to_string(n) + ' ').append(what).append(n == 1 ? "" : "s");
}

// Skips element `i` at `at`.
base::Status Skip(std::span<const std::byte> packed, size_t i, size_t* at) {
  const size_t left = packed.size() - *at;
  if (left < kLengthSize) {
    return base::InvalidArgument("BYTES element " + std::to_string(i) + ": expected a 4-byte length, got " +
                                 Count(left, "byte"));
  }
  uint32_t length;
  std::memcpy(&length, packed.data() + *at, kLengthSize);
  if (length > left - kLengthSize) {
    return base::InvalidArgument("BYTES element " + std::to_string(i) + ": expected " + Count(length, "byte") +
                                 " behind its length, got " + std::to_string(left - kLengthSize));
  }
  *at += kLengthSize + length;
  return {};
}

}  // namespace

base::Status CheckPacked(std::span<const std::byte> packed, size_t count) {
  size_t at = 0;
  for (size_t i = 0; i < count; ++i) {
    if (at == packed.size()) {
      return base::InvalidArgument("expected " + Count(count, "BYTES element") + ", got " + std::to_string(i));
    }
    INFERD_RETURN_IF_ERROR(Skip(packed, i, &at));
  }
  if (at == packed.size()) return {};
  return base::InvalidArgument("expected " + Count(count, "BYTES element") + " in " + Count(at, "byte") + ", got " +
                               std::to_string(packed.size()) + " bytes");
}

base::Result<size_t> CountPacked(std::span<const std::byte> packed) {
  size_t count = 0;
  for (size_t at = 0; at < packed.size(); ++count) INFERD_RETURN_IF_ERROR(Skip(packed, count, &at));
  return count;
}

std::optional<size_t> PackedPrefix(std::span<const std::byte> packed, size_t count) {
  size_t at = 0;
  for (size_t i = 0; i < count; ++i) {
    if (packed.size() - at < kLengthSize) return std::nullopt;
    uint32_t length;
    std::memcpy(&length, packed.data() + at, kLengthSize);
    at += kLengthSize;
    if (length > packed.size() - at) return std::nullopt;
    at += length;
  }
  return at;
}

BytesPacker::BytesPacker(size_t size_hint) : buffer_(base::Buffer::Allocate(size_hint)) {}

base::Status BytesPacker::Append(std::string_view element) {
  if (element.size() > kBytesElementMax) {
    return base::InvalidArgument("a BYTES element has at most 4294967295 bytes, got " + std::to_string(element.size()));
  }
  const size_t needed = used_ + kLengthSize + element.size();
  if (needed > buffer_.size()) {
    base::Buffer larger = base::Buffer::Allocate(std::max(needed, buffer_.size() * 2));
    std::memcpy(larger.data(), buffer_.data(), used_);
    buffer_ = std::move(larger);
  }
  const auto length = static_cast<uint32_t>(element.size());
  std::memcpy(buffer_.data() + used_, &length, kLengthSize);
  if (length > 0) std::memcpy(buffer_.data() + used_ + kLengthSize, element.data(), length);
  used_ = needed;
  return {};
}

base::Buffer BytesPacker::Take() {
  buffer_.Truncate(used_);
  used_ = 0;
  return std::move(buffer_);
}

}  // namespace inferd::tensor

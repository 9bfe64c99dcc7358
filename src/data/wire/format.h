#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace inferd::wire {

static_assert(std::endian::native == std::endian::little);

// The layout of a field's value (protobuf, "Encoding").
enum class Type : uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kStartGroup = 3, kEndGroup = 4, kFixed32 = 5 };

// Returns the tag that precedes a field's value.
constexpr uint32_t Tag(uint32_t number, Type type) { return number << 3 | static_cast<uint32_t>(type); }
constexpr uint32_t NumberOf(uint32_t tag) { return tag >> 3; }
constexpr Type TypeOf(uint32_t tag) { return static_cast<Type>(tag & 7); }

// A varint has seven bits in each byte, the lowest first.
constexpr size_t VarintSize(uint64_t value) { return (static_cast<size_t>(std::bit_width(value | 1)) + 6) / 7; }

// Writes `value` and returns its end.
inline std::byte* PutVarint(std::byte* out, uint64_t value) {
  for (; value >= 0x80; value >>= 7) *out++ = static_cast<std::byte>(value | 0x80);
  *out++ = static_cast<std::byte>(value);
  return out;
}

inline constexpr size_t kVarintMax = 10;  // bytes of the longest varint
inline constexpr size_t kTagMax = 5;      // bytes of the longest tag, and of the longest length

// The limit for nested messages and groups, as in protobuf's parsers.
inline constexpr int kDepthMax = 100;

}  // namespace inferd::wire

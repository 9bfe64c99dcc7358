#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "data/wire/format.h"

// Packed repeated fields: consecutive varints.

namespace inferd::wire {

// Returns the number of varints that end in `packed`.
inline size_t CountVarints(std::string_view packed) {
  constexpr uint64_t kOnes = 0x0101010101010101;
  constexpr int kWords = 31;  // so many ones in each of eight bytes add up to less than 256
  size_t count = 0;
  const char* p = packed.data();
  const char* const end = p + packed.size();
  for (; end - p >= 8 * kWords; p += 8 * kWords) {
    uint64_t ends = 0;
    for (int i = 0; i < kWords; ++i) {
      uint64_t word;
      std::memcpy(&word, p + 8 * i, 8);
      ends += ~word >> 7 & kOnes;
    }
    count += ends * kOnes >> 56;
  }
  for (; p != end; ++p) count += static_cast<unsigned char>(*p) < 0x80;
  return count;
}

// Decodes the varint at `p`; bits above 64 are lost, as in protobuf. Returns its end, or nullptr if it is cut off or
// too long. Requires p < end.
inline const char* DecodeVarint(const char* p, const char* end, uint64_t& value) {
  const auto byte = [&p](size_t i) { return static_cast<uint64_t>(static_cast<unsigned char>(p[i])); };
  value = byte(0);
  if (value < 0x80) return p + 1;
  value &= 0x7f;
  const auto bytes = static_cast<size_t>(end - p);
  for (size_t i = 1; i < bytes && i < kVarintMax; ++i) {
    value |= (byte(i) & 0x7f) << (7 * i);
    if (byte(i) < 0x80) return p + i + 1;
  }
  return nullptr;
}

// Calls put(uint64_t) for each varint. Returns false if one is malformed.
template <typename Put>
bool ForEachVarint(std::string_view packed, Put&& put) {
  constexpr uint64_t kHighBits = 0x8080808080808080;
  const char* p = packed.data();
  const char* const end = p + packed.size();
  while (p != end) {
    uint64_t value = 0;
    if (end - p >= 8) {
      std::memcpy(&value, p, 8);
      if ((value & kHighBits) == 0) {  // eight varints of one byte
        for (int i = 0; i < 8; ++i) put(value >> (8 * i) & 0xff);
        p += 8;
        continue;
      }
    }
    p = DecodeVarint(p, end, value);
    if (p == nullptr) return false;
    put(value);
  }
  return true;
}

}  // namespace inferd::wire

#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "frontends/oip_grpc/wire/format.h"

// Packed repeated fields: varints one behind the other.

namespace inferd::oip_grpc::wire {

// How many varints end in `packed`.
inline size_t CountVarints(std::string_view packed) {
  size_t count = 0;
  for (const char byte : packed) count += static_cast<unsigned char>(byte) < 0x80;
  return count;
}

// Calls put(uint64_t) for each varint; bits above 64 are lost, as in protobuf. False: one is cut off or too long.
template <typename Put>
bool ForEachVarint(std::string_view packed, Put&& put) {
  constexpr uint64_t kHighBits = 0x8080808080808080;
  const char* p = packed.data();
  const char* const end = p + packed.size();
  while (p != end) {
    uint64_t word = 0;
    if (end - p >= 8 && (std::memcpy(&word, p, 8), (word & kHighBits) == 0)) {
      for (int i = 0; i < 8; ++i) put(word >> (8 * i) & 0xff);
      p += 8;
      continue;
    }
    uint64_t value = 0;
    for (size_t i = 0;; ++i) {
      if (p == end || i == kVarintMax) return false;
      const auto byte = static_cast<unsigned char>(*p++);
      value |= static_cast<uint64_t>(byte & 0x7f) << (7 * i);
      if (byte < 0x80) break;
    }
    put(value);
  }
  return true;
}

}  // namespace inferd::oip_grpc::wire

#pragma once

#include <cstdint>
#include <string_view>

namespace inferd::base {

// 64-bit FNV-1a. It is the same in every build, so that data which outlives this program may contain it. Not safe
// against attackers.
constexpr uint64_t StableHash(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

}  // namespace inferd::base

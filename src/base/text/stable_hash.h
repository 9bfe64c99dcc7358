#pragma once

#include <cstdint>
#include <string_view>

namespace inferd::base {

// FNV-1a of 64 bits: the same in every build, so that it may stand in what outlives this program. Not against
// attackers.
constexpr uint64_t StableHash(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

}  // namespace inferd::base

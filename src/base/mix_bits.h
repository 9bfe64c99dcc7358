#pragma once

#include <cstdint>

namespace inferd::base {

// Mixes bits: every bit of the result depends on every bit of `bits`, and different inputs give different results. This
// is SplitMix64's last step (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators). Multiples of kMixStep
// give a pseudorandom sequence.
constexpr uint64_t kMixStep = 0x9e3779b97f4a7c15;
constexpr uint64_t MixBits(uint64_t bits) {
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
  return bits ^ (bits >> 31);
}

}  // namespace inferd::base

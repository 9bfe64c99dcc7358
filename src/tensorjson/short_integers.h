#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

#include "tensorjson/decimal.h"

namespace inferd::tensorjson {

// A codec of DataParser that stores whole numbers of few digits exactly.
template <typename Codec>
concept TakesShortIntegers = requires(uint32_t value) {
  { Codec::kShortMax } -> std::convertible_to<uint32_t>;
  { Codec::FromShort(value) } -> std::same_as<typename Codec::Out>;
};

// The most that seven digits say.
inline constexpr uint32_t kShortIntegerMax = 9'999'999;

// Reads elements of a row as pixels and token ids stand in it: one to seven digits, a comma, and no space or one.
// Stores up to `room` of them at `out`, and returns the begin of the first element that is anything else, or is the last
// of its row: whoever reads on says whether it is right. Precondition as in decimal.h.
//
// The digits and the comma are looked at as one word, so that numbers whose lengths differ cost no mispredicted branch.
template <TakesShortIntegers Codec>
const char* ReadShortIntegers(const char* p, const char* end, typename Codec::Out*& out, size_t room) {
  for (; room > 0 && end - p > 8; --room) {
    const uint64_t word = internal::Load8(p);
    const int digits = internal::LeadingDigits(word);
    if (digits == 0 || digits == 8 || (word >> (8 * digits) & 0xFF) != ',') break;
    const uint64_t value = internal::DigitsValue(word, digits);
    const bool leading_zero = (word & 0xFF) == '0' && digits > 1;
    if (leading_zero || value > Codec::kShortMax) break;
    *out++ = Codec::FromShort(static_cast<uint32_t>(value));
    p += digits + 1;
    if (*p == ' ') ++p;
  }
  return p;
}

}  // namespace inferd::tensorjson
